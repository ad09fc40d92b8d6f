using Xunit;

public class RomanTests
{
    [Theory]
    [InlineData(1, "I")]
    [InlineData(4, "IV")]
    [InlineData(9, "IX")]
    [InlineData(48, "XLVIII")]
    [InlineData(93, "XCIII")]
    [InlineData(141, "CXLI")]
    [InlineData(575, "DLXXV")]
    [InlineData(911, "CMXI")]
    [InlineData(1444, "MCDXLIV")]
    [InlineData(3999, "MMMCMXCIX")]
    public void WritesNumerals(int number, string text) => Assert.Equal(text, Roman.Write(number));

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(4000)]
    public void RefusesOthers(int number) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Roman.Write(number));
}

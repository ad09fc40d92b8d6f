public static class Roman
{
    private static readonly (int Value, string Text)[] Symbols =
    {
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
        (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    };

    public static string Write(int number)
    {
        if (number < 1 || number > 3999)
        {
            throw new ArgumentOutOfRangeException(nameof(number));
        }
        var text = "";
        foreach (var (value, symbol) in Symbols)
        {
            while (number >= value)
            {
                text += symbol;
                number -= value;
            }
        }
        return text;
    }
}

using Xunit;

public class InventoryTests
{
    [Fact]
    public void CountsValuesAndNeverGoesBelowZero()
    {
        var inventory = new Inventory();
        inventory.Add("bolt", 2, 20);
        inventory.Add("bolt", 8, 25);
        inventory.Add("nut", 3, 107);
        Assert.Equal(10, inventory.Count("bolt"));
        Assert.Equal(0, inventory.Count("screw"));
        Assert.Equal("5.71", inventory.Value());
        Assert.False(inventory.Take("bolt", 11));
        Assert.False(inventory.Take("screw", 1));
        Assert.True(inventory.Take("bolt", 10));
        Assert.Equal(0, inventory.Count("bolt"));
        Assert.True(inventory.Take("nut", 2));
        Assert.Equal("1.07", inventory.Value());
    }
}

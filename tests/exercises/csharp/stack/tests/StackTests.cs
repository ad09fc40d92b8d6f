using Xunit;

public class StackTests
{
    [Fact]
    public void LastInFirstOut()
    {
        var stack = new BoundedStack<string>(2);
        Assert.True(stack.Push("a"));
        Assert.True(stack.Push("b"));
        Assert.False(stack.Push("c"));
        Assert.Equal(0, stack.Room);
        Assert.True(stack.TryPop(out var item));
        Assert.Equal("b", item);
        Assert.Equal(1, stack.Room);
        Assert.True(stack.TryPop(out item));
        Assert.Equal("a", item);
        Assert.False(stack.TryPop(out item));
    }
}

public static class Money
{
    public static string Format(int cents) => throw new NotImplementedException();
}

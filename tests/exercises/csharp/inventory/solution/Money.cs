public static class Money
{
    public static string Format(int cents) => $"{cents / 100}.{cents % 100:00}";
}

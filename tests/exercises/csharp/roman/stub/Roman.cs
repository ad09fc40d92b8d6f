public static class Roman
{
    public static string Write(int number) => throw new NotImplementedException();
}

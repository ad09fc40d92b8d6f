namespace A.B;

delegate int Handler(int code);

class Service(ILogger logger)
{
    event Handler Changed;
    int this_one = 1, other = this_one;
    void Log(string message) { logger.Log(message); Changed?.Invoke(other); Log<int>(message); }
    Service Make(Service service) { return new Service(service.logger) { other = other }; }
    int Value { get { return other; } set { other = value; } }
}

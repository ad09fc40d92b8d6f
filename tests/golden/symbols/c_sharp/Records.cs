namespace Company.Model;

using System;

/// <summary>A person.</summary>
public record Person(string Name, int Age) : Entity(Name), IPerson
{
    public string Nick { get; init; }
    public void Greet() { }
}

public readonly record struct Money(decimal Amount, string Currency);

public class Service(ILogger logger) : IService
{
    private readonly ILogger _logger = logger;
    public required string Id { get; set; }
    // Handles.
    public void Handle<TEvent>(TEvent e) where TEvent : IEvent { }
}

public delegate int Compare<in T>(T a, T b);

#region Helpers
file static class Helpers
{
    extern static int Native();
}
#endregion

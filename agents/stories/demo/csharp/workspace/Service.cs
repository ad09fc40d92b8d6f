using System;
using System.Collections.Generic;
using System.Linq;

namespace Shop;

/// <summary>Keeps the orders of one day, as amounts in cents.</summary>
public sealed class OrderService
{
    private readonly List<int> orders = new();

    public OrderService Add(int cents)
    {
        if (cents <= 0)
        {
            throw new ArgumentOutOfRangeException(nameof(cents), "The amount is not positive.");
        }
        orders.Add(cents);
        return this;
    }

    public int Total() => orders.Sum();
}

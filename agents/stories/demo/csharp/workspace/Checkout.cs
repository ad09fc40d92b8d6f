using System.Collections.Generic;

namespace Shop;

/// <summary>Turns a basket into orders.</summary>
public static class Checkout
{
    public static int Order(OrderService service, IReadOnlyDictionary<string, int> basket)
    {
        foreach (int cents in basket.Values)
        {
            service.Add(cents);
        }
        return service.Total();
    }
}

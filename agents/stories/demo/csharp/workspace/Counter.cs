using System.Collections.Generic;

namespace Shop;

/// <summary>The counter where baskets are paid.</summary>
public sealed class Counter
{
    private readonly OrderService service = new();

    public int Pay(IReadOnlyDictionary<string, int> basket) => Checkout.Order(service, basket);
}

public class Inventory
{
    private sealed record Article(int PriceCents, int Count);

    private readonly Dictionary<string, Article> articles = new();

    public void Add(string name, int count, int priceCents)
    {
        articles[name] = new Article(priceCents, Count(name) + count);
    }

    public bool Take(string name, int count)
    {
        if (Count(name) < count)
        {
            return false;
        }
        articles[name] = articles[name] with { Count = Count(name) - count };
        return true;
    }

    public int Count(string name)
    {
        return articles.TryGetValue(name, out var article) ? article.Count : 0;
    }

    public string Value()
    {
        var cents = 0;
        foreach (var article in articles.Values)
        {
            cents += article.Count * article.PriceCents;
        }
        return Money.Format(cents);
    }
}

public class BoundedStack<T>
{
    private readonly List<T> items = new();
    private readonly int capacity;

    public BoundedStack(int capacity)
    {
        this.capacity = capacity;
    }

    public int Room => capacity - items.Count;

    public bool Push(T item)
    {
        if (items.Count == capacity)
        {
            return false;
        }
        items.Add(item);
        return true;
    }

    public bool TryPop(out T? item)
    {
        item = default;
        if (items.Count == 0)
        {
            return false;
        }
        item = items[items.Count - 1];
        items.RemoveAt(items.Count - 1);
        return true;
    }
}

public class BoundedStack<T>
{
}

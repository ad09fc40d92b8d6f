public class Inventory
{
}

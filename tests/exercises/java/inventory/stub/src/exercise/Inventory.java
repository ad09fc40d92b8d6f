package exercise;

public class Inventory {
}

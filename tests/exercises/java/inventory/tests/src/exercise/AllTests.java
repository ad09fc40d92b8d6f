package exercise;

public final class AllTests {
    public static void main(String[] arguments) {
        Inventory inventory = new Inventory();
        inventory.add("bolt", 2, 20);
        inventory.add("bolt", 8, 25);
        inventory.add("nut", 3, 107);
        Check.that(inventory.count("bolt") == 10, "ten bolts");
        Check.that(inventory.count("screw") == 0, "no screws");
        Check.that(inventory.value().equals("5.71"), inventory.value());
        Check.that(!inventory.take("bolt", 11), "not eleven");
        Check.that(!inventory.take("screw", 1), "none of those");
        Check.that(inventory.take("bolt", 10), "all ten");
        Check.that(inventory.count("bolt") == 0, "none left");
        Check.that(inventory.value().equals("3.21"), inventory.value());
    }
}

use exercise::Inventory;

#[test]
fn counts_values_and_never_goes_below_zero() {
    let mut inventory = Inventory::default();
    inventory.add("bolt", 2, 25);
    inventory.add("bolt", 8, 25);
    inventory.add("nut", 3, 107);
    assert_eq!(inventory.count("bolt"), 10);
    assert_eq!(inventory.count("screw"), 0);
    assert_eq!(inventory.value(), "5.71");
    assert!(!inventory.take("bolt", 11));
    assert!(!inventory.take("screw", 1));
    assert!(inventory.take("bolt", 10));
    assert_eq!(inventory.count("bolt"), 0);
    assert_eq!(inventory.value(), "3.21");
}

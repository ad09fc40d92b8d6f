from inventory import Inventory


def test_counts_and_values() -> None:
    inventory = Inventory()
    inventory.add("bolt", 10, 25)
    inventory.add("nut", 3, 107)
    assert inventory.count("bolt") == 10
    assert inventory.value() == "5.71"
    assert inventory.take("bolt", 10)
    assert inventory.count("bolt") == 0
    assert inventory.value() == "3.21"


def test_never_goes_below_zero() -> None:
    inventory = Inventory()
    inventory.add("bolt", 2, 25)
    inventory.add("bolt", 2, 30)
    assert not inventory.take("bolt", 5)
    assert not inventory.take("nut", 1)
    assert inventory.count("bolt") == 4
    assert inventory.count("nut") == 0
    assert inventory.value() == "1.20"

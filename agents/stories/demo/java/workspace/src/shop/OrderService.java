package shop;

import java.util.ArrayList;
import java.util.List;

/** Keeps the orders of one day, as amounts in cents. */
public final class OrderService {
    private final List<Integer> orders = new ArrayList<>();

    public OrderService add(int cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("amount " + cents + " is not positive");
        }
        orders.add(cents);
        return this;
    }

    public int total() {
        return orders.stream().mapToInt(Integer::intValue).sum();
    }
}

package shop;

import java.util.Map;

/** Turns a basket into orders. */
public final class Checkout {
    private final OrderService service;

    public Checkout(OrderService service) {
        this.service = service;
    }

    public int order(Map<String, Integer> basket) {
        basket.values().forEach(service::add);
        return service.total();
    }
}

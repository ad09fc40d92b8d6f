package shop;

import java.util.Map;

/** Prints the total of one basket. */
public final class Main {
    public static void main(String[] arguments) {
        Checkout checkout = new Checkout(new OrderService());
        System.out.println(checkout.order(Map.of("tea", 450, "cup", 800)));
    }
}

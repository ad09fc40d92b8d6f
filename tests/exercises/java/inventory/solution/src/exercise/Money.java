package exercise;

final class Money {
    private Money() {}

    static String format(int cents) {
        return String.format("%d.%02d", cents / 100, cents % 100);
    }
}

package exercise;

final class Money {
    private Money() {}
}

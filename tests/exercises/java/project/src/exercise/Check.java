package exercise;

final class Check {
    private Check() {}

    static void that(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}

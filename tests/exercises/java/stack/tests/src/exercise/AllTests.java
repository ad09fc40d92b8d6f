package exercise;

public final class AllTests {
    public static void main(String[] arguments) {
        Stack<String> stack = new Stack<>(2);
        Check.that(stack.push("a"), "room for one");
        Check.that(stack.push("b"), "room for two");
        Check.that(!stack.push("c"), "no room for three");
        Check.that(stack.room() == 0, "full");
        Check.that(stack.pop().get().equals("b"), "last");
        Check.that(stack.room() == 1, "room again");
        Check.that(stack.pop().get().equals("a"), "first");
        Check.that(stack.pop().isEmpty(), "empty");
    }
}

package exercise;

public class Stack<T> {
    private T last;

    public T pop() {
        return last;
    }
}

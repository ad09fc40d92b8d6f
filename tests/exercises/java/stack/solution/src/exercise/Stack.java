package exercise;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

public class Stack<T> {
    private final List<T> items = new ArrayList<>();
    private final int capacity;

    public Stack(int capacity) {
        this.capacity = capacity;
    }

    public boolean push(T item) {
        if (items.size() == capacity) {
            return false;
        }
        items.add(item);
        return true;
    }

    public Optional<T> pop() {
        int size = items.size();
        if (size == 0) {
            return Optional.empty();
        }
        return Optional.of(items.remove(size - 1));
    }

    public int room() {
        return capacity - items.size();
    }
}

package com.example;

import java.util.List;
import static java.util.Map.entry;
import java.io.*;

class Locals<T extends Comparable<T>> {
  private int size;
  int count = size;

  Locals(int size) {
    this.size = size;
    size();
  }

  int size() {
    return size;
  }

  <R> R run(List<T> items, java.util.function.Function<T, R> f) {
    int count = this.count;
    for (T item : items) {
      count += item.size();
    }
    for (int i = 0; i < count; i++) {
      int inner = i;
    }
    Runnable task = () -> size++;
    f.andThen(x -> x.size + count);
    f.andThen((a, b) -> { int c = a; return c + b; });
    if (items instanceof List<?> list && list.size() > 0) {
      list.clear();
    }
    try (Reader reader = open()) {
      reader.read();
    } catch (IOException | Error error) {
      throw error;
    }
    outer:
    while (true) break outer;
    items.forEach(Locals::size);
    switch (items) {
      case Point(int px, var py) -> use(px, py);
      case String s -> use(s);
    }
    return entry(count, size);
  }

  record Point(int x, int y) {
    int sum() { return x + y; }
  }

  enum Color { RED; Color other = RED; }
}

package com.example.net;

import java.util.List;
import static java.util.Map.entry;

/**
 * A server.
 */
@Deprecated
public abstract class Server<T extends Comparable<T>> extends Base<T> implements Runnable, java.io.Closeable {
  private static final int MAX = 10, MIN = 1;
  /** The name. */
  protected String name;
  int[] sizes[] = new int[2][];

  static {
    int inStatic = 1;
  }

  public Server(String name) {
    this.name = name;
  }

  /** Runs it. */
  @Override
  public void run() {
    int local = 0;
    Runnable task = new Runnable() {
      int counter;
      @Override public void run() { counter++; }
    };
    class LocalClass { int inside; void act() {} }
    Runnable lambda = () -> { int x = 1; };
  }

  abstract int size();

  // Not for others.
  private <R> R map(java.util.function.Function<T, R> f) { return null; }

  static class Nested {
    int depth;
    enum Level { LOW, HIGH }
  }

  class Inner extends Nested {}

  interface Listener { void on(int event); default void off() {} }
}

record Point(int x, double y) implements Shape {
  static final Point ORIGIN = new Point(0, 0);
  Point {
    if (x < 0) throw new IllegalArgumentException();
  }
  Point(int x) { this(x, 0); }
  double length() { return 0; }
}

enum Color implements Shape {
  /** Red. */
  RED("r") { @Override String code() { return "R"; } },
  @Deprecated GREEN("g");

  private final String code;
  Color(String code) { this.code = code; }
  String code() { return code; }
}

sealed interface Shape extends A, B<Integer> permits Point, Color {
  int SIDES = 4;
  double area();
}

@interface Marker {
  String value() default "";
  int priority();
}

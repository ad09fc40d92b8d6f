class Shadow {
  int value = 1;
  @Named(value = "x") int other;

  class Inner {
    int value = 2;
    int get() { return value + other; }
    int get(int value) {
      Object o = new Object() {
        int value = 3;
        int read() { return value; }
      };
      return value + Shadow.this.value;
    }
  }

  static <T> T same(T value) { T copy = value; return copy; }
}

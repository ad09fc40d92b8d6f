import java.util.*;

public final class Generics {
  private Generics() {}

  public static <K, V> Map<K, List<V>> group(Collection<V> values) throws Exception {
    for (V value : values) { }
    try { } catch (RuntimeException error) { }
    return null;
  }

  private final Comparator<String> order = new Comparator<String>() {
    @Override public int compare(String a, String b) { return 0; }
  };

  int a, b = 2, c[];

  // One.
  // Two.

  // Three.
  native void external();

  synchronized strictfp int busy(int... numbers) { return 0; }
}

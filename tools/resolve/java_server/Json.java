import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, strings, longs, doubles, booleans and null. The JDK has no reader of JSON,
 * and the server has to run where only a JDK is installed.
 */
final class Json {
  private static final int MAX_DEPTH = 200;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    Json reader = new Json(text);
    Object value = reader.value(0);
    reader.skipSpace();
    if (reader.at != text.length()) throw reader.error("text after the value");
    return value;
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    append(value, out);
    return out.toString();
  }

  /** A map of keys and values in turn. */
  static Map<String, Object> map(Object... entries) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < entries.length; i += 2) map.put((String) entries[i], entries[i + 1]);
    return map;
  }

  /** What stands at the end of a path of keys; null where there is nothing. */
  static Object get(Object value, String... path) {
    for (String key : path) {
      if (!(value instanceof Map)) return null;
      value = ((Map<?, ?>) value).get(key);
    }
    return value;
  }

  static String string(Object value, String... path) {
    Object found = get(value, path);
    return found instanceof String ? (String) found : null;
  }

  static List<?> list(Object value, String... path) {
    Object found = get(value, path);
    return found instanceof List ? (List<?>) found : List.of();
  }

  static int integer(Object value, String... path) {
    Object found = get(value, path);
    return found instanceof Number ? ((Number) found).intValue() : 0;
  }

  private static void append(Object value, StringBuilder out) {
    if (value instanceof Map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        out.append(separator);
        appendString((String) entry.getKey(), out);
        out.append(':');
        append(entry.getValue(), out);
        separator = ",";
      }
      out.append(separator.equals("{") ? "{}" : "}");
    } else if (value instanceof Iterable) {
      String separator = "[";
      for (Object element : (Iterable<?>) value) {
        out.append(separator);
        append(element, out);
        separator = ",";
      }
      out.append(separator.equals("[") ? "[]" : "]");
    } else if (value instanceof String) {
      appendString((String) value, out);
    } else {
      out.append(value);
    }
  }

  private static void appendString(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // A lone surrogate has no form in UTF-8.
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  private Object value(int depth) {
    if (depth > MAX_DEPTH) throw error("values within values without end");
    skipSpace();
    char c = at < text.length() ? text.charAt(at) : '\0';
    switch (c) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> map = new LinkedHashMap<>();
    at++;
    if (take('}')) return map;
    do {
      skipSpace();
      if (at >= text.length() || text.charAt(at) != '"') throw error("a key is missing");
      String key = string();
      if (!take(':')) throw error("a colon is missing");
      map.put(key, value(depth + 1));
    } while (take(','));
    if (!take('}')) throw error("an object does not end");
    return map;
  }

  private List<Object> array(int depth) {
    List<Object> list = new ArrayList<>();
    at++;
    if (take(']')) return list;
    do {
      list.add(value(depth + 1));
    } while (take(','));
    if (!take(']')) throw error("an array does not end");
    return list;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') return out.toString();
      if (c != '\\') {
        out.append(c);
        continue;
      }
      if (at >= text.length()) break;
      char escaped = text.charAt(at++);
      int index = "\"\\/bfnrt".indexOf(escaped);
      if (index >= 0) {
        out.append("\"\\/\b\f\n\r\t".charAt(index));
      } else if (escaped == 'u' && at + 4 <= text.length()) {
        out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
        at += 4;
      } else {
        throw error("an unknown escape");
      }
    }
    throw error("a string does not end");
  }

  private Object number() {
    int begin = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
    String number = text.substring(begin, at);
    try {
      boolean isWhole = number.indexOf('.') < 0 && number.indexOf('e') < 0 && number.indexOf('E') < 0;
      if (isWhole) return Long.valueOf(number);
      return Double.valueOf(number);
    } catch (NumberFormatException e) {
      throw error("no value");
    }
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) throw error("no value");
    at += word.length();
    return value;
  }

  private boolean take(char c) {
    skipSpace();
    if (at >= text.length() || text.charAt(at) != c) return false;
    at++;
    return true;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private IllegalArgumentException error(String what) {
    return new IllegalArgumentException("not JSON at " + at + ": " + what);
  }
}

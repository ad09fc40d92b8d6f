import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import javax.tools.SimpleJavaFileObject;

/** The text of a source file with its lines and identifiers. Offsets are UTF-16 code units. */
final class SourceText extends SimpleJavaFileObject {
  static final int MAX_BYTES = 16 << 20;

  final Path path;
  final String text;
  final boolean isUtf8;  // otherwise no position in it means anything to the client
  private final int[] lineStarts;

  SourceText(Path path, String text, boolean isUtf8) {
    super(path.toUri(), Kind.SOURCE);
    this.path = path;
    this.text = text;
    this.isUtf8 = isUtf8;
    int[] starts = new int[64];
    int count = 1;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isPair = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
      if (c != '\n' && (c != '\r' || isPair)) continue;
      if (count == starts.length) starts = Arrays.copyOf(starts, 2 * count);
      starts[count++] = i + 1;
    }
    lineStarts = Arrays.copyOf(starts, count);
  }

  static SourceText read(Path path) throws IOException {
    if (!Files.isRegularFile(path)) throw new IOException("not a file");
    if (Files.size(path) > MAX_BYTES) throw new IOException("too large");
    byte[] bytes = Files.readAllBytes(path);
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
      return new SourceText(path, text, true);
    } catch (CharacterCodingException e) {
      return new SourceText(path, new String(bytes, StandardCharsets.ISO_8859_1), false);
    }
  }

  @Override
  public CharSequence getCharContent(boolean ignoreEncodingErrors) {
    // javac takes a byte order mark for an illegal character.
    return text.startsWith("\uFEFF") ? " " + text.substring(1) : text;
  }

  String uri() {
    URI uri = path.toUri();
    return "file://" + uri.getRawPath();
  }

  int lineOf(int offset) {
    int found = Arrays.binarySearch(lineStarts, offset);
    return found >= 0 ? found : -found - 2;
  }

  Map<String, Object> position(int offset) {
    int line = lineOf(offset);
    return Json.map("line", line, "character", offset - lineStarts[line]);
  }

  Map<String, Object> range(int begin, int end) {
    return Json.map("start", position(begin), "end", position(end));
  }

  int offsetOf(int line, int character) {
    if (line < 0 || line >= lineStarts.length) return text.length();
    return Math.min(text.length(), lineStarts[line] + Math.max(0, character));
  }

  /** Whether `name` stands at `begin` with no character of an identifier on either side. */
  boolean isWordAt(int begin, String name) {
    int end = begin + name.length();
    return begin >= 0
        && text.startsWith(name, begin)
        && (begin == 0 || !Character.isJavaIdentifierPart(text.charAt(begin - 1)))
        && (end == text.length() || !Character.isJavaIdentifierPart(text.charAt(end)));
  }

  boolean holds(String word) {
    for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (isWordAt(at, word)) return true;
    }
    return false;
  }

  /** The identifier that touches `offset`; "" if there is none. */
  String wordAt(int offset) {
    return text.substring(wordBegin(offset), wordEnd(offset));
  }

  int wordBegin(int offset) {
    int begin = offset;
    while (begin > 0 && Character.isJavaIdentifierPart(text.charAt(begin - 1))) begin--;
    return begin;
  }

  private int wordEnd(int offset) {
    int end = offset;
    while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) end++;
    return end;
  }

  /** Where `name` stands first as a word of code at or behind `from`, which is in code; -1. */
  int findInCode(String name, int from, int end) {
    int at = Math.max(0, from);
    while (at < end) {
      char c = text.charAt(at);
      if (text.startsWith("//", at)) {
        at = skipTo("\n", at);
      } else if (text.startsWith("/*", at)) {
        at = skipTo("*/", at + 2);
      } else if (text.startsWith("\"\"\"", at)) {
        at = skipLiteral("\"\"\"", at + 3);
      } else if (c == '"' || c == '\'') {
        at = skipLiteral(String.valueOf(c), at + 1);
      } else if (Character.isJavaIdentifierStart(c)) {
        if (isWordAt(at, name)) return at;
        at = wordEnd(at);
      } else {
        at++;
      }
    }
    return -1;
  }

  private int skipTo(String end, int from) {
    int found = text.indexOf(end, from);
    return found < 0 ? text.length() : found + end.length();
  }

  private int skipLiteral(String quote, int from) {
    int at = from;
    while (at < text.length() && !text.startsWith(quote, at)) at += text.charAt(at) == '\\' ? 2 : 1;
    return Math.min(text.length(), at + quote.length());
  }
}

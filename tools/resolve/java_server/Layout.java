/** How a source file is laid out. */
final class Layout {
  private static final int MAX_LINES = 1000;

  final String newline;
  final String step;  // by which blocks are indented
  private final String text;

  Layout(SourceText source) {
    text = source.text;
    int end = text.indexOf('\n');
    newline = end > 0 && text.charAt(end - 1) == '\r' ? "\r\n" : "\n";
    step = findStep();
  }

  private String findStep() {
    int least = 0;
    int line = text.indexOf('\n') + 1;
    for (int i = 0; i < MAX_LINES && line > 0; i++) {
      String indent = indentAt(line);
      if (indent.startsWith("\t")) return "\t";
      int behind = line + indent.length();
      char first = behind < text.length() ? text.charAt(behind) : '\n';
      boolean isCode = first != '*' && first != '\n' && first != '\r' && indent.length() > 1;
      if (isCode && (least == 0 || indent.length() < least)) least = indent.length();
      line = text.indexOf('\n', line) + 1;
    }
    return " ".repeat(least == 0 || least > 8 ? 4 : least);
  }

  int lineBegin(int offset) {
    return text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** Behind the newline. */
  int lineEnd(int offset) {
    int end = text.indexOf('\n', offset);
    return end < 0 ? text.length() : end + 1;
  }

  /** The white space that begins the line of an offset. */
  String indentAt(int offset) {
    int begin = lineBegin(offset);
    int end = begin;
    while (end < text.length() && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) end++;
    return text.substring(begin, end);
  }

  /** Behind the last character before `offset` that is no white space. */
  int trimmed(int offset) {
    int end = offset;
    while (end > 0 && Character.isWhitespace(text.charAt(end - 1))) end--;
    return end;
  }

  boolean isBlank(int begin, int end) {
    return text.substring(begin, end).trim().isEmpty();
  }

  /** Where code follows at or behind `offset`: white space and comments are skipped. */
  int nextCode(int offset) {
    int at = offset;
    while (at < text.length()) {
      if (text.startsWith("//", at)) {
        at = lineEnd(at);
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        at = end < 0 ? text.length() : end + 2;
      } else if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else {
        return at;
      }
    }
    return at;
  }
}

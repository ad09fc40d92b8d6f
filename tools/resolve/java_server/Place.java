import java.nio.file.Path;

/** A position as the protocol has it: line and UTF-16 code unit, from 0. */
final class Place {
  final Path path;
  final int line;
  final int character;

  Place(Path path, int line, int character) {
    this.path = path;
    this.line = line;
    this.character = character;
  }
}

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Sources that the last build generated: code names them, and nothing in them is changed. */
final class GeneratedSources {
  private static final int MAX_FILES = 5000;
  private static final String[] FOLDERS = {
    "target/generated-sources", "target/generated-test-sources", "build/generated"
  };

  private GeneratedSources() {}

  static Set<Path> of(Path root, Collection<Path> files) {
    Set<Path> found = new TreeSet<>();
    for (Path folder : Folders.of(root, files)) {
      for (String name : FOLDERS) {
        Path generated = folder.resolve(name);
        if (!Files.isDirectory(generated)) continue;
        try (Stream<Path> paths = Files.walk(generated)) {
          paths
              .filter(path -> path.toString().endsWith(".java") && !files.contains(path))
              .filter(path -> !path.endsWith("module-info.java"))
              .limit(MAX_FILES)
              .forEach(found::add);
        } catch (IOException | UncheckedIOException e) {
          // What cannot be listed is missing as if it had not been generated.
        }
      }
    }
    return found;
  }
}

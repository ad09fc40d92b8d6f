import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/** The folders in which a build may have a module: all those above source files. */
final class Folders {
  private Folders() {}

  static Set<Path> of(Path root, Collection<Path> files) {
    Set<Path> found = new TreeSet<>(Set.of(root));
    for (Path file : files) {
      Path folder = file.getParent();
      while (folder != null && folder.startsWith(root) && found.add(folder)) {
        folder = folder.getParent();
      }
    }
    return found;
  }
}

import java.io.File;
import java.nio.file.Path;
import java.util.Collection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The libraries of a project that are on this machine. */
final class ClassPath {
  private final Set<File> jars = new LinkedHashSet<>();

  ClassPath(Path root, Collection<Path> files) {
    for (Path folder : Folders.of(root, files)) {
      for (String name : new String[] {"lib", "libs", "target/dependency"}) {
        addAll(folder.resolve(name));
      }
    }
  }

  private void addAll(Path folder) {
    File[] found = folder.toFile().listFiles((dir, name) -> name.toLowerCase().endsWith(".jar"));
    if (found == null) return;
    java.util.Arrays.sort(found);
    jars.addAll(java.util.Arrays.asList(found));
  }

  List<File> jars() {
    return new ArrayList<>(jars);
  }
}

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The libraries of a project that are on this machine, and what these need themselves. */
final class ClassPath {
  private static final int MAX_JARS = 500;

  private final Repositories repositories = new Repositories();
  private final Set<File> jars = new LinkedHashSet<>();
  private final Set<String> seen = new HashSet<>();
  private final List<Artifact> open = new ArrayList<>();

  ClassPath(Path root, Collection<Path> files) {
    Set<Path> folders = Folders.of(root, files);
    for (Path folder : folders) {
      for (String name : new String[] {"lib", "libs", "target/dependency"}) {
        addAll(folder.resolve(name));
      }
    }
    for (Path folder : folders) {
      addDependencies(Pom.read(folder.resolve("pom.xml"), this::pomOf));
      open.addAll(GradleFile.dependencies(folder.resolve("build.gradle")));
      open.addAll(GradleFile.dependencies(folder.resolve("build.gradle.kts")));
      open.addAll(GradleFile.catalogue(folder.resolve("gradle/libs.versions.toml")));
    }
    for (int i = 0; i < open.size() && jars.size() < MAX_JARS; i++) addLibrary(open.get(i));
  }

  private void addAll(Path folder) {
    File[] found = folder.toFile().listFiles((dir, name) -> name.toLowerCase().endsWith(".jar"));
    if (found == null) return;
    Arrays.sort(found);
    jars.addAll(Arrays.asList(found));
  }

  private Path pomOf(Artifact artifact) {
    return repositories.find(artifact, ".pom");
  }

  private void addDependencies(Pom pom) {
    if (pom == null) return;
    for (Artifact dependency : pom.dependencies) {
      String version = pom.versionOf(dependency);
      for (Artifact bom : version.isEmpty() ? pom.boms : List.<Artifact>of()) {
        Pom versions = Pom.read(pomOf(bom), this::pomOf);
        if (versions != null && version.isEmpty()) version = versions.versionOf(dependency);
      }
      open.add(new Artifact(dependency.group, dependency.name, version));
    }
  }

  /** The first version that is named counts, as it does for Maven. */
  private void addLibrary(Artifact artifact) {
    if (!seen.add(artifact.key())) return;
    Path jar = repositories.find(artifact, ".jar");
    if (jar != null) jars.add(jar.toFile());
    addDependencies(Pom.read(pomOf(artifact), this::pomOf));
  }

  List<File> jars() {
    return new ArrayList<>(jars);
  }
}

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Where Maven, Gradle and Linux distributions keep libraries on this machine. */
final class Repositories {
  private final List<Path> maven = new ArrayList<>();
  private final Path gradle;
  private static final Path SYSTEM = Path.of("/usr/share/java");

  Repositories() {
    String variable = System.getenv("HOME");  // may differ from the home that the system has
    Path home = Path.of(variable != null ? variable : System.getProperty("user.home", "/"));
    String gradleHome = System.getenv("GRADLE_USER_HOME");
    Path gradleFolder = gradleHome == null ? home.resolve(".gradle") : Path.of(gradleHome);
    maven.add(home.resolve(".m2/repository"));
    maven.add(Path.of("/usr/share/maven-repo"));
    gradle = gradleFolder.resolve("caches/modules-2/files-2.1");
  }

  /** Of a library the file with an extension; of another version where that one is not here. */
  Path find(Artifact artifact, String extension) {
    if (!isPlain(artifact.group) || !isPlain(artifact.name)) return null;
    for (Path repository : maven) {
      Path folder = repository.resolve(artifact.group.replace('.', '/')).resolve(artifact.name);
      for (String version : versionsIn(folder, artifact.version)) {
        Path file = folder.resolve(version).resolve(fileName(artifact, version, extension));
        if (Files.isRegularFile(file)) return file;
      }
    }
    Path folder = gradle.resolve(artifact.group).resolve(artifact.name);
    for (String version : versionsIn(folder, artifact.version)) {
      // Below the version there is a folder named after the content of each file.
      for (File hash : list(folder.resolve(version))) {
        Path file = hash.toPath().resolve(fileName(artifact, version, extension));
        if (Files.isRegularFile(file)) return file;
      }
    }
    Path system = SYSTEM.resolve(artifact.name + extension);
    return Files.isRegularFile(system) ? system : null;
  }

  private static boolean isPlain(String part) {
    return part.matches("[\\w.-]+") && !part.contains("..");
  }

  private static String fileName(Artifact artifact, String version, String extension) {
    return artifact.name + "-" + version + extension;
  }

  /** The wanted one first, then the newest. */
  private static List<String> versionsIn(Path folder, String wanted) {
    List<String> versions = new ArrayList<>();
    for (File file : list(folder)) {
      if (file.isDirectory()) versions.add(file.getName());
    }
    versions.sort(Comparator.comparing(Repositories::sortable).reversed());
    if (versions.remove(wanted)) versions.add(0, wanted);
    return versions;
  }

  /** "1.10" after "1.9". */
  private static String sortable(String version) {
    StringBuilder padded = new StringBuilder();
    for (String part : version.split("[.-]")) {
      boolean isNumber = part.matches("\\d{1,9}");
      padded.append(isNumber ? String.format("%09d", Integer.valueOf(part)) : part).append('.');
    }
    return padded.toString();
  }

  private static List<File> list(Path folder) {
    File[] files = folder.toFile().listFiles();
    if (files == null) return List.of();
    Arrays.sort(files);
    return Arrays.asList(files);
  }
}

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The libraries that a build file of Gradle names. It is a program; only coordinates that are
 * written out in it are found, and those in version catalogues.
 */
final class GradleFile {
  private static final long MAX_BYTES = 4 << 20;
  private static final Pattern SHORT =
      Pattern.compile("[\"']([\\w.-]+):([\\w.-]+)(?::([\\w.$\\{}-]+))?(?::[\\w.-]+)?[\"']");
  private static final Pattern LONG =
      Pattern.compile(
          "group\\s*[:=]\\s*[\"']([\\w.-]+)[\"']\\s*,\\s*name\\s*[:=]\\s*[\"']([\\w.-]+)[\"']"
              + "(?:\\s*,\\s*version\\s*[:=]\\s*[\"']([\\w.-]+)[\"'])?");
  private static final Pattern MODULE =
      Pattern.compile("module\\s*=\\s*\"([\\w.-]+):([\\w.-]+)\"(.*)");
  private static final Pattern GROUP =
      Pattern.compile("group\\s*=\\s*\"([\\w.-]+)\"\\s*,\\s*name\\s*=\\s*\"([\\w.-]+)\"(.*)");
  private static final Pattern VERSION =
      Pattern.compile("version(\\.ref)?\\s*=\\s*\"([\\w.-]+)\"");
  private static final Pattern ENTRY = Pattern.compile("(?m)^[ \\t]*([\\w.-]+)[ \\t]*=[ \\t]*\"([\\w.-]+)\"");

  private GradleFile() {}

  static List<Artifact> dependencies(Path path) {
    List<Artifact> found = new ArrayList<>();
    String text = read(path);
    for (Pattern pattern : new Pattern[] {SHORT, LONG}) {
      Matcher matcher = pattern.matcher(text);
      while (matcher.find()) {
        String version = matcher.group(3);
        boolean isKnown = version != null && !version.contains("$");
        found.add(new Artifact(matcher.group(1), matcher.group(2), isKnown ? version : ""));
      }
    }
    return found;
  }

  static List<Artifact> catalogue(Path path) {
    List<Artifact> found = new ArrayList<>();
    String text = read(path);
    Map<String, String> versions = new HashMap<>();
    Matcher entry = ENTRY.matcher(text);
    while (entry.find()) versions.put(entry.group(1), entry.group(2));
    for (Pattern pattern : new Pattern[] {MODULE, GROUP}) {
      Matcher matcher = pattern.matcher(text);
      while (matcher.find()) {
        Matcher version = VERSION.matcher(matcher.group(3));
        String number = version.find() ? version.group(2) : "";
        if (!number.isEmpty() && version.group(1) != null) {
          number = versions.getOrDefault(number, "");
        }
        found.add(new Artifact(matcher.group(1), matcher.group(2), number));
      }
    }
    found.addAll(dependencies(path));
    return found;
  }

  private static String read(Path path) {
    try {
      if (!Files.isRegularFile(path) || Files.size(path) > MAX_BYTES) return "";
      return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}

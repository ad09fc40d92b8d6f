import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** A pom.xml of Maven, as far as it names libraries. */
final class Pom {
  private static final long MAX_BYTES = 4 << 20;
  private static final int MAX_PARENTS = 10;
  private static final int MAX_VALUE = 1000;  // characters
  private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)\\}");

  private final Path path;
  private final Element project;
  private final Pom parent;
  private final Map<String, String> properties = new HashMap<>();
  final List<Artifact> boms = new ArrayList<>();
  final List<Artifact> dependencies = new ArrayList<>();
  private final Map<String, String> managed = new HashMap<>();

  /** Finds the pom of a library in the repositories of the machine; null where there is none. */
  interface Finder {
    Path find(Artifact artifact);
  }

  private Pom(Path path, Element project, Finder finder, int depth) {
    this.path = path;
    this.project = project;
    parent = depth < MAX_PARENTS ? readParent(finder, depth) : null;
    if (parent != null) {
      properties.putAll(parent.properties);
      managed.putAll(parent.managed);
      boms.addAll(parent.boms);
    }
    Element own = child(project, "properties");
    if (own != null) {
      for (Element property : children(own)) {
        String value = property.getTextContent().trim();
        if (value.length() < MAX_VALUE) properties.put(property.getTagName(), value);
      }
    }
    String inherited = text(child(project, "parent"), "version");
    String version = text(project, "version").isEmpty() ? inherited : text(project, "version");
    String group = text(project, "groupId");
    if (group.isEmpty()) group = text(child(project, "parent"), "groupId");
    for (String prefix : new String[] {"project.", "pom.", ""}) {
      properties.put(prefix + "version", version);
      properties.put(prefix + "groupId", group);
    }
    properties.put("project.parent.version", inherited);
    for (Element dependency : children(child(child(project, "dependencyManagement"), "dependencies"))) {
      Artifact artifact = artifact(dependency);
      managed.put(artifact.key(), artifact.version);
      if (text(dependency, "scope").equals("import")) boms.add(artifact);
    }
    if (parent != null) dependencies.addAll(parent.dependencies);
    for (Element dependency : children(child(project, "dependencies"))) {
      dependencies.add(artifact(dependency));
    }
  }

  /** Null where it cannot be read. */
  static Pom read(Path path, Finder finder) {
    return read(path, finder, 0);
  }

  private static Pom read(Path path, Finder finder, int depth) {
    try {
      if (path == null || !Files.isRegularFile(path) || Files.size(path) > MAX_BYTES) return null;
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      // No entities: the file is the repository's.
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      var builder = factory.newDocumentBuilder();
      builder.setErrorHandler(null);
      var document = builder.parse(new ByteArrayInputStream(Files.readAllBytes(path)));
      return new Pom(path, document.getDocumentElement(), finder, depth);
    } catch (IOException | ParserConfigurationException | SAXException e) {
      return null;
    }
  }

  private Pom readParent(Finder finder, int depth) {
    Element element = child(project, "parent");
    if (element == null) return null;
    String relative = text(element, "relativePath");
    Path folder = path.toAbsolutePath().getParent();
    Path near = folder.resolve(relative.isEmpty() ? "../pom.xml" : relative).normalize();
    if (Files.isDirectory(near)) near = near.resolve("pom.xml");
    Pom found = read(near, finder, depth + 1);
    if (found != null && text(found.project, "artifactId").equals(text(element, "artifactId"))) {
      return found;
    }
    Artifact artifact =
        new Artifact(
            text(element, "groupId"), text(element, "artifactId"), text(element, "version"));
    return read(finder.find(artifact), finder, depth + 1);
  }

  private Artifact artifact(Element dependency) {
    return new Artifact(
        expand(text(dependency, "groupId")),
        expand(text(dependency, "artifactId")),
        expand(text(dependency, "version")));
  }

  String versionOf(Artifact artifact) {
    return artifact.version.isEmpty() ? managed.getOrDefault(artifact.key(), "") : artifact.version;
  }

  private String expand(String text) {
    String expanded = text;
    // Properties may hold others, several times each.
    for (int i = 0; i < MAX_PARENTS && expanded.length() < MAX_VALUE && expanded.contains("${"); i++) {
      Matcher matcher = PROPERTY.matcher(expanded);
      expanded =
          matcher.replaceAll(
              match -> Matcher.quoteReplacement(properties.getOrDefault(match.group(1), "")));
    }
    return expanded.length() < MAX_VALUE ? expanded : "";
  }

  private static Element child(Element parent, String name) {
    for (Element element : children(parent)) {
      if (element.getTagName().equals(name)) return element;
    }
    return null;
  }

  private static List<Element> children(Element parent) {
    List<Element> found = new ArrayList<>();
    Node node = parent == null ? null : parent.getFirstChild();
    for (; node != null; node = node.getNextSibling()) {
      if (node instanceof Element) found.add((Element) node);
    }
    return found;
  }

  private static String text(Element parent, String name) {
    Element found = child(parent, name);
    return found == null ? "" : found.getTextContent().trim();
  }
}

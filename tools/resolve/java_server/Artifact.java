/** Coordinates of a library, as Maven and Gradle have them. */
final class Artifact {
  final String group;
  final String name;
  final String version;  // "": not known

  Artifact(String group, String name, String version) {
    this.group = group;
    this.name = name;
    this.version = version == null ? "" : version;
  }

  String key() {
    return group + ":" + name;
  }
}

import java.io.IOException;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;

/** What a name means, for people, as Markdown. */
final class Hover {
  private final Project project;

  Hover(Project project) {
    this.project = project;
  }

  /** Null where nothing that is known stands. */
  Map<String, Object> at(Place place) throws IOException {
    Project.View view = project.home(place.path);
    Occurrence at = Navigation.at(view, place);
    if (at == null || at.elements.get(0) instanceof PackageElement) return null;
    Element element = at.elements.get(0);
    StringBuilder text = new StringBuilder("```java\n" + Signature.of(element) + "\n```\n");
    Element owner = element.getEnclosingElement();
    if (owner instanceof TypeElement) {
      text.append("\nMember of `").append(((TypeElement) owner).getQualifiedName()).append("`\n");
    }
    World.Declaration declaration = view.world.declarationOf(element);
    String doc = declaration == null ? null : view.world.trees.getDocComment(declaration.path);
    if (doc != null) text.append('\n').append(markdown(doc)).append('\n');
    return Json.map(
        "contents", Json.map("kind", "markdown", "value", text.toString()),
        "range", at.unit.source.range(at.begin, at.end));
  }

  static String markdown(String doc) {
    return doc.replaceAll("(?m)^ +", "")
        .replaceAll("\\{@(?:code|literal)\\s+([^{}]*)\\}", "`$1`")
        .replaceAll("\\{@link(?:plain)?\\s+([^\\s{}]+)\\s+([^{}]*)\\}", "$2 (`$1`)")
        .replaceAll("\\{@(?:link|linkplain|value)\\s+([^{}]*)\\}", "`$1`")
        .replaceAll("(?i)</?(?:code|tt|kbd)>", "`")
        .replaceAll("(?i)</?(?:b|strong)>", "**")
        .replaceAll("(?i)</?(?:i|em)>", "*")
        .replaceAll("(?i)<pre>", "\n```\n")
        .replaceAll("(?i)</pre>", "\n```\n")
        .replaceAll("(?i)<li>", "\n- ")
        .replaceAll("(?i)<p\\s*/?>", "\n\n")
        .replaceAll("(?i)</?(?:p|ul|ol|li|a|br|h[1-6]|dl|dt|dd|div|span)\\b[^>]*>", "")
        .replaceAll("(?m)^@param\\s+(\\S+)", "- `$1`:")
        .replaceAll("(?m)^@returns?\\s+", "- returns ")
        .replaceAll("(?m)^@(?:throws|exception)\\s+(\\S+)", "- throws `$1`:")
        .replaceAll("(?m)^@see\\s+(.*)$", "- see `$1`")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
        .replaceAll("\n{3,}", "\n\n")
        .trim();
  }
}

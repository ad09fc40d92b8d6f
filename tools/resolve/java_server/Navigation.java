import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;

/** From places to declarations. */
final class Navigation {
  private final Project project;

  Navigation(Project project) {
    this.project = project;
  }

  /** What stands at a place; null where nothing that is known does. */
  static Occurrence at(Project.View view, Place place) {
    if (view == null) return null;
    World.Unit unit = view.world.units.get(place.path);
    Occurrence found = Symbol.at(view.world, unit, unit.source.offsetOf(place.line, place.character));
    return found == null || found.isUnknown() ? null : found;
  }

  List<Object> definition(Place place) throws IOException {
    List<Object> locations = new ArrayList<>();
    Project.View view = project.home(place.path);
    Occurrence at = at(view, place);
    if (at == null) return locations;
    for (Element element : at.elements) {
      if (element instanceof PackageElement) continue;
      Map<String, Object> location = locationOf(view.world, element);
      locations.add(location != null ? location : outside(element));
    }
    return locations;
  }

  List<Object> implementations(Place place) throws IOException {
    List<Object> locations = new ArrayList<>();
    Project.View view = project.home(place.path);
    Occurrence at = at(view, place);
    if (at == null) return locations;
    Set<Element> found = new LinkedHashSet<>();
    for (Element element : at.elements) {
      if (Kinds.isMethod(element)) {
        found.addAll(view.world.overridersOf((ExecutableElement) element));
      } else if (element instanceof TypeElement) {
        for (TypeElement type : view.world.subtypesOf((TypeElement) element)) {
          if (type.getSimpleName().length() > 0) found.add(type);
        }
      }
    }
    for (Element element : found) {
      Map<String, Object> location = locationOf(view.world, element);
      if (location != null) locations.add(location);
    }
    return locations;
  }

  /** Of the name where an element is declared; null for what is not of the project. */
  static Map<String, Object> locationOf(World world, Element element) {
    World.Declaration declaration = world.declarationOf(element);
    if (declaration == null) return null;
    Element declared = world.trees.getElement(declaration.path);
    int begin = world.positions.nameBegin(declaration.unit, declaration.path, declared);
    SourceText source = declaration.unit.source;
    int end = begin + Positions.nameOf(declared).length();
    return Json.map("uri", source.uri(), "range", source.range(begin, end));
  }

  /** Sources of libraries are not at hand: the URI names the element. */
  static Map<String, Object> outside(Element element) {
    Map<String, Object> start = Json.map("line", 0, "character", 0);
    return Json.map("uri", "java:" + qualified(element), "range", Json.map("start", start, "end", start));
  }

  static String qualified(Element element) {
    if (element instanceof TypeElement) return ((TypeElement) element).getQualifiedName().toString();
    Element owner = element.getEnclosingElement();
    String name = Positions.nameOf(element);
    return owner == null ? name : qualified(owner) + "#" + name;
  }
}

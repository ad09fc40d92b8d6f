import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;

/** What a place means: the elements that share its name and its meaning. */
final class Symbol {
  /** Which methods belong together. */
  enum Reach {
    /** What a call of the method can reach: what it overrides, and what overrides it. */
    CALLS,
    /** All that has to have one name. */
    RENAME
  }

  final World world;
  final Element element;  // at the place
  final String name;
  final Set<Element> elements = new LinkedHashSet<>();
  final boolean isConstructor;

  private Symbol(World world, Element element, Reach reach) {
    this.world = world;
    boolean isOfClass = reach == Reach.RENAME && Kinds.isConstructor(element);
    this.element = isOfClass ? element.getEnclosingElement() : element;
    name = Positions.nameOf(this.element);
    isConstructor = Kinds.isConstructor(this.element);
    grow(this.element, reach);
  }

  /** The occurrence of a name that touches a place; null if there is none. */
  static Occurrence at(World world, World.Unit unit, int offset) {
    String word = unit.source.wordAt(offset);
    if (word.isEmpty()) return null;
    int begin = unit.source.wordBegin(offset);
    Occurrence found = null;
    for (Occurrence occurrence : OccurrenceFinder.find(world, unit, word, false)) {
      if (occurrence.begin == begin && (found == null || found.isUnknown())) found = occurrence;
    }
    return found;
  }

  static Symbol of(World world, Element element, Reach reach) {
    return new Symbol(world, element, reach);
  }

  private void grow(Element element, Reach reach) {
    if (!elements.add(element)) return;
    if (reach == Reach.RENAME && element instanceof TypeElement) {
      for (Element member : element.getEnclosedElements()) {
        if (Kinds.isConstructor(member)) elements.add(member);
      }
    }
    if (Kinds.isMethod(element)) {
      ExecutableElement method = (ExecutableElement) element;
      Set<ExecutableElement> more = new LinkedHashSet<>();
      if (reach == Reach.RENAME) {
        more.addAll(world.familyOf(method));
      } else {
        more.addAll(world.overriddenBy(method));
        more.addAll(world.overridersOf(method));
      }
      for (ExecutableElement other : more) {
        if (reach == Reach.RENAME) {
          grow(other, reach);
        } else if (world.isOfProject(other)) {
          // Calls of Object.toString, say, mostly reach something else.
          elements.add(other);
          for (Element part : recordParts(other)) elements.add(part);
        }
      }
    }
    for (Element part : recordParts(element)) grow(part, reach);
  }

  /** A component of a record, its field, its accessor and its parameter are one symbol. */
  private static List<Element> recordParts(Element element) {
    List<Element> parts = new ArrayList<>();
    Element owner = element.getEnclosingElement();
    boolean isParameter = owner != null && Kinds.isConstructor(owner);
    Element record = isParameter ? owner.getEnclosingElement() : owner;
    if (!Kinds.isRecord(record)) return parts;
    List<Element> components = new ArrayList<>();
    for (Element member : record.getEnclosedElements()) {
      if (Kinds.isComponent(member)) components.add(member);
    }
    Element component = null;
    for (Element candidate : components) {
      if (candidate.getSimpleName().equals(element.getSimpleName())) component = candidate;
    }
    if (component == null || Kinds.isType(element)) return parts;
    boolean isOther = Kinds.isMethod(element) && !((ExecutableElement) element).getParameters().isEmpty();
    if (isOther || (isParameter && !isCanonical((ExecutableElement) owner, components))) return parts;
    if (component == null) return parts;
    for (Element member : record.getEnclosedElements()) {
      if (Kinds.isConstructor(member)) {
        ExecutableElement constructor = (ExecutableElement) member;
        if (!isCanonical(constructor, components)) continue;
        parts.add(constructor.getParameters().get(components.indexOf(component)));
      } else if (member.getSimpleName().equals(component.getSimpleName())) {
        boolean isAccessor =
            !Kinds.isMethod(member) || ((ExecutableElement) member).getParameters().isEmpty();
        if (isAccessor && !Kinds.isType(member)) parts.add(member);
      }
    }
    return parts;
  }

  private static boolean isCanonical(ExecutableElement constructor, List<Element> components) {
    if (constructor.getParameters().size() != components.size()) return false;
    for (int i = 0; i < components.size(); i++) {
      String type = constructor.getParameters().get(i).asType().toString();
      if (!type.equals(components.get(i).asType().toString())) return false;
    }
    return true;
  }

  boolean isLocal() {
    return elements.stream().allMatch(Kinds::isLocal);
  }

  boolean isMeantBy(Occurrence occurrence) {
    return occurrence.elements.stream().anyMatch(elements::contains);
  }

  /** Every place in these files that holds the name, each meaning once; unknown ones included. */
  List<Occurrence> places(List<World.Unit> units) {
    List<Occurrence> found = new ArrayList<>();
    for (World.Unit unit : units) {
      Set<String> seen = new LinkedHashSet<>();
      List<Occurrence> places =
          new ArrayList<>(OccurrenceFinder.find(world, unit, name, isConstructor));
      places.sort(Comparator.comparingInt(place -> place.begin));
      for (Occurrence place : places) {
        if (!place.isUnknown() && !isMeantBy(place)) continue;
        if (seen.add(place.begin + (place.isUnknown() ? "?" : ""))) found.add(place);
      }
    }
    return found;
  }
}

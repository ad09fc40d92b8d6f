import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.Diagnostic;

/** The places of a symbol in all files of a project, and why some may be missing. */
final class References {
  private final Project project;
  final Set<String> reasons = new LinkedHashSet<>();  // see partial()
  private int unknown;
  private String firstUnknown = "";

  /** Places of one world, and the symbol there. */
  static final class Found {
    final Symbol symbol;
    final List<Occurrence> places = new ArrayList<>();

    Found(Symbol symbol) {
      this.symbol = symbol;
    }
  }

  References(Project project) {
    this.project = project;
  }

  /** Empty where nothing that has a name stands at the place. */
  List<Found> find(Place place, Symbol.Reach reach) throws IOException {
    List<Found> found = new ArrayList<>();
    Path path = place.path;
    Project.View home = project.home(path);
    if (home == null) return found;
    World.Unit unit = home.world.units.get(path);
    int offset = unit.source.offsetOf(place.line, place.character);
    Occurrence at = Symbol.at(home.world, unit, offset);
    if (at == null || at.isUnknown()) return found;
    Symbol symbol = Symbol.of(home.world, at.elements.get(0), reach);
    found.add(placesOf(symbol, symbol.isLocal() ? List.of(unit) : home.units()));
    if (symbol.isLocal()) return found;
    for (SourceText module : project.moduleFiles()) {
      found.get(0).places.addAll(ModuleFile.find(module, symbol.element));
    }
    for (Project.View view : project.others(path, symbol.name)) {
      Occurrence there = Symbol.at(view.world, view.world.units.get(path), offset);
      if (there == null || there.isUnknown()) continue;
      Symbol same = Symbol.of(view.world, there.elements.get(0), reach);
      found.add(placesOf(same, view.units()));
    }
    project
        .unreadable()
        .forEach((file, why) -> reasons.add(project.display(file) + " " + why));
    return found;
  }

  private Found placesOf(Symbol symbol, List<World.Unit> units) {
    Found found = new Found(symbol);
    if (symbol.world.flaw != null) reasons.add(symbol.world.flaw);
    for (World.Unit unit : units) {
      boolean isWrong = unit.syntaxError != null && unit.source.holds(symbol.name);
      if (isWrong) {
        reasons.add(project.display(unit.source.path) + " has an error of syntax in " + unit.syntaxError);
      }
    }
    for (Occurrence place : symbol.places(units)) {
      if (place.isUnknown()) {
        if (!symbol.isLocal() && !place.isDoc) noteUnknown(place);
      } else if (!place.unit.source.isUtf8) {
        reasons.add(project.display(place.unit.source.path) + " is not UTF-8");
      } else if (!project.isOwn(place.unit.source.path)) {
        reasons.add("generated code names it: " + project.display(place.unit.source.path));
      } else {
        found.places.add(place);
      }
    }
    return found;
  }

  private void noteUnknown(Occurrence place) {
    if (unknown++ > 0) return;
    Diagnostic<?> why = place.unit.errors.get(place.line());
    if (why == null && !place.unit.errors.isEmpty()) {
      why = place.unit.errors.get(Collections.min(place.unit.errors.keySet()));
    }
    firstUnknown =
        project.display(place.unit.source.path)
            + ":"
            + (place.line() + 1)
            + (why == null ? "" : ", " + World.messageOf(why));
  }

  /** Why places may be missing; "": for no reason that is known. */
  String partial() {
    Set<String> all = new LinkedHashSet<>(reasons);
    if (unknown > 0) {
      String places = unknown == 1 ? "1 place that holds" : unknown + " places that hold";
      all.add(places + " the name cannot be resolved: " + firstUnknown);
    }
    List<String> shown = new ArrayList<>(all);
    if (shown.size() > 3) {
      shown = new ArrayList<>(shown.subList(0, 3));
      shown.add(all.size() - 3 + " more reasons");
    }
    return String.join("; ", shown);
  }

  static Map<String, Object> location(Occurrence place) {
    return Json.map(
        "uri", place.unit.source.uri(), "range", place.unit.source.range(place.begin, place.end));
  }
}

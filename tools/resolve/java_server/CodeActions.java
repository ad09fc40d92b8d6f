import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Edits that mend the errors of some lines of a file, and one that removes unused imports. */
final class CodeActions {
  private static final int MAX_PROBLEMS = 200;
  private static final String QUICK_FIX = "quickfix";
  static final String ORGANIZE = "source.organizeImports";

  private final Project project;
  private final List<Object> actions = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();
  private World world;
  private World.Unit unit;

  CodeActions(Project project) {
    this.project = project;
  }

  static Map<String, Object> edit(SourceText source, int begin, int end, String text) {
    return Json.map("range", source.range(begin, end), "newText", text);
  }

  /** A list of CodeAction. Without kinds those that mend errors are asked for. */
  List<Object> of(Path path, int firstLine, int lastLine, List<?> kinds) throws IOException {
    Project.View view = project.home(path);
    if (view == null || !project.isOwn(path)) return actions;
    world = view.world;
    unit = world.units.get(path);
    if (unit == null || !unit.source.isUtf8) return actions;
    world.attribute(unit);
    if (isAsked(kinds, ORGANIZE)) {
      add("Organize imports", ORGANIZE, false, new ImportCleanup(world, unit).edits());
    }
    if (!kinds.isEmpty() && !isAsked(kinds, QUICK_FIX)) return actions;
    int mended = 0;
    for (Diagnosis.Problem problem : Diagnosis.of(world, unit, project.classPath())) {
      int line = unit.source.lineOf(problem.position);
      if (line < firstLine || line > lastLine) continue;
      if (++mended > MAX_PROBLEMS) break;
      try {
        mend(problem);
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        e.printStackTrace();  // the others may be mended
      }
    }
    return actions;
  }

  /** A kind asks for those below it, too. */
  private static boolean isAsked(List<?> kinds, String kind) {
    for (Object asked : kinds) {
      if (kind.equals(asked) || kind.startsWith(asked + ".")) return true;
    }
    return false;
  }

  private void mend(Diagnosis.Problem problem) {
    if (!problem.code.startsWith("compiler.err.")) return;
    switch (problem.code.substring("compiler.err.".length())) {
      case "cant.resolve":
      case "cant.resolve.location":
      case "doesnt.exist":
      case "ref.ambiguous":
        addImports(problem);
        break;
      case "does.not.override.abstract":
      case "abstract.cant.be.instantiated":
        MethodStubs stubs = new MethodStubs(world, unit);
        addFix(stubs.edits(problem), stubs.title());
        break;
      case "unreported.exception.need.to.catch.or.throw":
      case "unreported.exception.implicit.close":
        ThrowsClause clause = new ThrowsClause(world, unit);
        addFix(clause.edits(problem), clause.title());
        break;
      case "not.exhaustive":
      case "not.exhaustive.statement":
      case "switch.expression.empty":
        addFix(new MissingCases(world, unit).edits(problem), "Add missing cases");
        break;
      default:
        break;
    }
  }

  private void addImports(Diagnosis.Problem problem) {
    List<File> classPath = project.classPath();
    Set<String> modules = ClassIndex.readableBy(unit.source.path, project.moduleFiles());
    ImportFix fix = new ImportFix(world, unit, classPath, modules);
    List<String> candidates = fix.candidates(problem);
    for (String name : candidates) {
      add("Import " + name, QUICK_FIX, candidates.size() == 1, List.of(fix.edit(name)));
    }
  }

  private void addFix(List<Map<String, Object>> edits, String title) {
    add(title, QUICK_FIX, false, edits);
  }

  private void add(
      String title, String kind, boolean isPreferred, List<Map<String, Object>> edits) {
    if (edits.isEmpty() || !seen.add(title + Json.write(edits))) return;
    Map<String, Object> action = Json.map("title", title, "kind", kind);
    if (isPreferred) action.put("isPreferred", true);
    action.put("edit", Json.map("changes", Json.map(unit.source.uri(), edits)));
    actions.add(action);
  }
}

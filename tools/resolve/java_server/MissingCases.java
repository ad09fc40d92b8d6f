import com.sun.source.tree.CaseTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;

/** The cases that a switch over an enum or a sealed type lacks. What JDK 11 lacks is reflected. */
final class MissingCases {
  private static final Set<String> JUMPS =
      Set.of("BREAK", "RETURN", "THROW", "CONTINUE", "YIELD");

  private final World world;
  private final World.Unit unit;
  private final Set<String> constants = new HashSet<>();  // that have a case
  private final List<TypeMirror> patterns = new ArrayList<>();  // that match all of a type
  private TypeMirror selected;

  MissingCases(World world, World.Unit unit) {
    this.world = world;
    this.unit = unit;
  }

  private static boolean isSwitch(Tree tree) {
    return tree instanceof SwitchTree || tree.getKind().name().equals("SWITCH_EXPRESSION");
  }

  /** The value of a method of the compiler's trees or of an element; null where there is none. */
  private static Object call(Object object, String name) {
    for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
      for (Class<?> shown : type.getInterfaces()) {
        try {
          Method method = shown.getMethod(name);
          return method.invoke(object);
        } catch (ReflectiveOperationException e) {
          // Another interface may have it.
        }
      }
    }
    return null;
  }

  private static List<?> list(Object object, String name) {
    Object found = call(object, name);
    return found instanceof List ? (List<?>) found : List.of();
  }

  /** The type over which a switch goes; null where it is not known. */
  static TypeMirror selectedBy(World world, TreePath path) {
    Object selector = isSwitch(path.getLeaf()) ? call(path.getLeaf(), "getExpression") : null;
    return selector == null ? null : world.trees.getTypeMirror(new TreePath(path, (Tree) selector));
  }

  List<Map<String, Object>> edits(Diagnosis.Problem problem) {
    TreePath path =
        TreeSearch.innermost(world, unit, problem.position, MissingCases::isSwitch);
    if (path == null) return List.of();
    Tree tree = path.getLeaf();
    selected = selectedBy(world, path);
    if (selected == null) return List.of();
    Element element = world.types.asElement(world.types.erasure(selected));
    if (!(element instanceof TypeElement)) return List.of();
    List<?> cases = list(tree, "getCases");
    for (Object each : cases) addCovered(new TreePath(path, (CaseTree) each));
    Set<String> labels = new LinkedHashSet<>();
    TypeNames names = new TypeNames(world, unit, path);
    addMissing((TypeElement) element, labels, names, new HashSet<>(), true);
    return labels.isEmpty() ? List.of() : insert(tree, cases, labels);
  }

  private void addCovered(TreePath path) {
    CaseTree tree = (CaseTree) path.getLeaf();
    for (Object label : list(tree, "getExpressions")) {
      if (label instanceof IdentifierTree) {
        constants.add(((IdentifierTree) label).getName().toString());
      } else if (label instanceof MemberSelectTree) {
        constants.add(((MemberSelectTree) label).getIdentifier().toString());
      }
    }
    Object guard = call(tree, "getGuard");
    if (guard != null) return;
    for (Object label : list(tree, "getLabels")) {
      Object pattern = call(label, "getPattern");
      if (pattern == null) pattern = label;  // in JDK 17 the label is the pattern
      Object variable = call(pattern, "getVariable");
      if (!(variable instanceof VariableTree)) continue;
      TreePath shown = new TreePath(path, (Tree) pattern);
      Tree declared = ((VariableTree) variable).getType();
      TypeMirror type = world.trees.getTypeMirror(
          new TreePath(new TreePath(shown, (VariableTree) variable), declared));
      if (type != null) patterns.add(world.types.erasure(type));
    }
  }

  private boolean isCovered(TypeElement type) {
    TypeMirror erased = world.types.erasure(type.asType());
    return patterns.stream().anyMatch(pattern -> world.types.isSubtype(erased, pattern));
  }

  /** Whether no value of the selector is of a type, because of the selector's arguments. */
  private boolean isImpossible(TypeElement type) {
    return type.getTypeParameters().isEmpty()
        && !hasVariable(selected)
        && !world.types.isSubtype(type.asType(), selected);
  }

  private static boolean hasVariable(TypeMirror type) {
    if (!(type instanceof DeclaredType)) return true;
    for (TypeMirror argument : ((DeclaredType) type).getTypeArguments()) {
      if (hasVariable(argument)) return true;
    }
    return false;
  }

  private void addMissing(
      TypeElement type,
      Set<String> labels,
      TypeNames names,
      Set<TypeElement> seen,
      boolean isSelector) {
    if (!seen.add(type) || isCovered(type) || isImpossible(type)) return;
    if (isSelector && type.getKind() == ElementKind.ENUM) {
      for (Element member : type.getEnclosedElements()) {
        String name = member.getSimpleName().toString();
        boolean isConstant = member.getKind() == ElementKind.ENUM_CONSTANT;
        if (isConstant && !constants.contains(name)) labels.add(name);
      }
      return;
    }
    List<?> permitted = list(type, "getPermittedSubclasses");
    if (permitted.isEmpty() && isSelector) return;
    boolean isAbstract =
        type.getKind().isInterface() || type.getModifiers().contains(Modifier.ABSTRACT);
    for (Object below : permitted) {
      Element element = world.types.asElement((TypeMirror) below);
      if (element instanceof TypeElement) {
        addMissing((TypeElement) element, labels, names, seen, false);
      }
    }
    if (isAbstract && !permitted.isEmpty()) return;
    String wildcards = String.join(", ", Collections.nCopies(
        type.getTypeParameters().size(), "?"));
    String name = names.write(type) + (wildcards.isEmpty() ? "" : "<" + wildcards + ">");
    labels.add(name + " " + variableFor(type));
  }

  /** A name that nothing in the file has. */
  private String variableFor(TypeElement type) {
    String simple = type.getSimpleName().toString();
    String name = simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
    String free = name;
    for (int i = 2; SourceVersion.isKeyword(free) || unit.source.holds(free); i++) free = name + i;
    return free;
  }

  private List<Map<String, Object>> insert(Tree tree, List<?> cases, Set<String> labels) {
    String text = unit.source.text;
    Layout layout = new Layout(unit.source);
    int close = world.positions.end(unit, tree) - 1;
    if (close < 0 || text.charAt(close) != '}') return List.of();
    boolean isFirstInLine = layout.isBlank(layout.lineBegin(close), close);
    int begin = world.positions.begin(unit, tree);
    String outer = layout.indentAt(isFirstInLine ? close : begin);
    String indent = outer + layout.step;
    CaseTree last = cases.isEmpty() ? null : (CaseTree) cases.get(cases.size() - 1);
    if (last != null) {
      int lastBegin = world.positions.begin(unit, last);
      boolean beginsLine = layout.isBlank(layout.lineBegin(lastBegin), lastBegin);
      if (beginsLine) indent = layout.indentAt(lastBegin);
    }
    List<? extends StatementTree> statements = last == null ? null : last.getStatements();
    StringBuilder added = new StringBuilder();
    if (statements != null && tree instanceof SwitchTree && !endsWithJump(statements)) {
      added.append(layout.newline).append(indent).append(layout.step).append("break;");
    }
    for (String label : labels) {
      added.append(layout.newline).append(indent).append("case ").append(label);
      added.append(statements != null ? ":" : " ->");
      added.append(" throw new UnsupportedOperationException();");
    }
    int end = layout.trimmed(close);
    String gap = text.substring(end, close);
    added.append(gap.indexOf('\n') >= 0 ? gap : layout.newline + outer);
    return List.of(CodeActions.edit(unit.source, end, close, added.toString()));
  }

  private static boolean endsWithJump(List<? extends StatementTree> statements) {
    if (statements.isEmpty()) return false;
    return JUMPS.contains(statements.get(statements.size() - 1).getKind().name());
  }
}

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;

/** Stubs for the abstract methods that a class does not implement. */
final class MethodStubs {
  private final World world;
  private final World.Unit unit;
  private final Layout layout;
  private String title = "";

  MethodStubs(World world, World.Unit unit) {
    this.world = world;
    this.unit = unit;
    layout = new Layout(unit.source);
  }

  String title() {
    return title;
  }

  List<Map<String, Object>> edits(Diagnosis.Problem problem) {
    TreePath path =
        TreeSearch.innermost(
            world, unit, problem.position, tree -> tree instanceof ClassTree);
    if (path == null || !(world.trees.getElement(path) instanceof TypeElement)) return List.of();
    TypeElement type = (TypeElement) world.trees.getElement(path);
    if (!problem.code.endsWith(".does.not.override.abstract")) return ofConstants(type, path);
    List<ExecutableElement> missing = missingIn(type, false);
    int end = world.positions.end(unit, path.getLeaf()) - 1;
    if (missing.isEmpty() || end < 0 || unit.source.text.charAt(end) != '}') return List.of();
    setTitle(missing);
    return ofBody(type, path, missing, end);
  }

  private void setTitle(List<ExecutableElement> missing) {
    Element owner = missing.get(0).getEnclosingElement();
    boolean isOne = missing.stream().allMatch(method -> method.getEnclosingElement() == owner);
    title = isOne ? "Implement '" + owner.getSimpleName() + "'" : "Implement abstract methods";
  }

  private List<Map<String, Object>> ofBody(
      TypeElement type, TreePath path, List<ExecutableElement> missing, int end) {
    String text = unit.source.text;
    int begin = world.positions.begin(unit, path.getLeaf());
    boolean isFirstInLine = layout.isBlank(layout.lineBegin(end), end);
    String indent = layout.indentAt(isFirstInLine ? end : begin);
    int last = layout.trimmed(end);
    String gap = text.substring(last, end);
    if (gap.indexOf('\n') < 0) gap = layout.newline + indent;
    String separator = text.charAt(last - 1) == '{' ? "" : layout.newline;
    List<Map<String, Object>> edits = new ArrayList<>();
    // The body of a constant counts as an enum, too.
    boolean isEnum = type.getKind() == ElementKind.ENUM && type.getSimpleName().length() > 0;
    int constantsEnd = isEnum ? openConstantsEnd(path) : -1;
    if (constantsEnd >= 0 && constantsEnd < last) {
      edits.add(CodeActions.edit(unit.source, constantsEnd, constantsEnd, ";"));
    } else if (constantsEnd >= 0) {
      String above = separator.isEmpty() ? layout.newline + indent + layout.step : "";
      separator = above + ";" + layout.newline;
    }
    String stubs = stubs(type, path, missing, indent + layout.step);
    edits.add(CodeActions.edit(unit.source, last, end, separator + stubs + gap));
    return edits;
  }

  /** Where the semicolon that ends the constants of an enum is missing; -1: nowhere. */
  private int openConstantsEnd(TreePath path) {
    String text = unit.source.text;
    int behind = -1;
    for (Tree member : ((ClassTree) path.getLeaf()).getMembers()) {
      if (isConstant(path, member)) behind = constantEnd((VariableTree) member);
    }
    if (behind < 0) {
      int end = world.positions.end(unit, path.getLeaf()) - 1;
      int last = layout.trimmed(end);
      return text.charAt(last - 1) == '{' ? last : -1;
    }
    int next = layout.nextCode(behind);
    if (next < text.length() && text.charAt(next) == ',') {
      behind = next + 1;
      next = layout.nextCode(behind);
    }
    return next < text.length() && text.charAt(next) == '}' ? behind : -1;
  }

  private boolean isConstant(TreePath path, Tree member) {
    if (!(member instanceof VariableTree)) return false;
    Element element = world.trees.getElement(new TreePath(path, member));
    return element != null && element.getKind() == ElementKind.ENUM_CONSTANT;
  }

  private int constantEnd(VariableTree constant) {
    int end = world.positions.end(unit, constant);
    Tree made = constant.getInitializer();
    if (made == null) return end;
    if (made instanceof NewClassTree && ((NewClassTree) made).getClassBody() != null) {
      made = ((NewClassTree) made).getClassBody();
    }
    return Math.max(end, world.positions.end(unit, made));
  }

  /** Bodies for the constants of an enum that declares abstract methods. */
  private List<Map<String, Object>> ofConstants(TypeElement type, TreePath path) {
    List<Map<String, Object>> edits = new ArrayList<>();
    if (type.getKind() != ElementKind.ENUM) return edits;
    List<ExecutableElement> missing = missingIn(type, true);
    if (missing.isEmpty()) return edits;
    setTitle(missing);
    for (Tree member : ((ClassTree) path.getLeaf()).getMembers()) {
      if (!isConstant(path, member)) continue;
      Tree made = ((VariableTree) member).getInitializer();
      if (!(made instanceof NewClassTree) || ((NewClassTree) made).getClassBody() != null) continue;
      String indent = layout.indentAt(world.positions.begin(unit, member));
      String stubs = stubs(type, path, missing, indent + layout.step);
      int end = constantEnd((VariableTree) member);
      String body = " {" + stubs + layout.newline + indent + "}";
      edits.add(CodeActions.edit(unit.source, end, end, body));
    }
    return edits;
  }

  /** The abstract methods that no method implements; none if one of them cannot be seen. */
  private List<ExecutableElement> missingIn(TypeElement type, boolean withOwn) {
    List<ExecutableElement> methods = new ArrayList<>();
    for (TypeElement base : world.supertypesOf(type)) {
      for (Element member : base.getEnclosedElements()) {
        if (Kinds.isMethod(member)) methods.add((ExecutableElement) member);
      }
    }
    List<ExecutableElement> missing = new ArrayList<>();
    for (ExecutableElement method : methods) {
      boolean isOwn = method.getEnclosingElement() == type;
      if (!method.getModifiers().contains(Modifier.ABSTRACT) || isOwn && !withOwn) continue;
      if (methods.stream().anyMatch(other -> implement(other, method, type))) continue;
      if (!isVisible(method, type)) return List.of();
      int same = -1;
      for (int i = 0; i < missing.size() && same < 0; i++) {
        if (isSame(missing.get(i), method, type)) same = i;
      }
      if (same < 0) {
        missing.add(method);
      } else if (isMoreExact(method, missing.get(same), type)) {
        missing.set(same, method);
      }
    }
    return missing;
  }

  private boolean implement(ExecutableElement method, ExecutableElement base, TypeElement type) {
    boolean isAlike =
        method != base
            && method.getSimpleName().equals(base.getSimpleName())
            && method.getParameters().size() == base.getParameters().size();
    if (!isAlike) return false;
    if (method.getModifiers().contains(Modifier.ABSTRACT)) {
      // What is declared abstract again is missing there.
      return method.getEnclosingElement() != type && world.elements.overrides(
              method, base, (TypeElement) method.getEnclosingElement());
    }
    return !isBelow(base, method) && world.elements.overrides(method, base, type);
  }

  /** Whether the first is declared abstract again in a class below that of the second. */
  private boolean isBelow(ExecutableElement base, ExecutableElement method) {
    Element owner = base.getEnclosingElement();
    Element other = method.getEnclosingElement();
    // A method of a class implements those of interfaces, even if it is one of Object.
    if (owner.getKind().isInterface() && !other.getKind().isInterface()) return false;
    return world.types.isSubtype(
        world.types.erasure(owner.asType()), world.types.erasure(other.asType()));
  }

  private boolean isVisible(ExecutableElement method, TypeElement type) {
    boolean isOpen =
        method.getModifiers().contains(Modifier.PUBLIC)
            || method.getModifiers().contains(Modifier.PROTECTED);
    return isOpen || world.elements.getPackageOf(method).equals(world.elements.getPackageOf(type));
  }

  private ExecutableType in(ExecutableElement method, TypeElement type) {
    return (ExecutableType) world.types.asMemberOf((DeclaredType) type.asType(), method);
  }

  private boolean isSame(ExecutableElement one, ExecutableElement other, TypeElement type) {
    if (!one.getSimpleName().equals(other.getSimpleName())) return false;
    ExecutableType left = in(one, type);
    ExecutableType right = in(other, type);
    return world.types.isSubsignature(left, right) || world.types.isSubsignature(right, left);
  }

  private boolean isMoreExact(ExecutableElement one, ExecutableElement other, TypeElement type) {
    TypeMirror left = in(one, type).getReturnType();
    TypeMirror right = in(other, type).getReturnType();
    return !world.types.isSameType(left, right) && world.types.isSubtype(left, right);
  }

  private String stubs(
      TypeElement type, TreePath path, List<ExecutableElement> missing, String indent) {
    String separator = layout.newline;
    return missing.stream()
        .map(method -> separator + stub(type, path, method, indent))
        .collect(Collectors.joining(layout.newline));
  }

  private String stub(TypeElement type, TreePath path, ExecutableElement method, String indent) {
    ExecutableType signature = in(method, type);
    TypeNames names = new TypeNames(world, unit, path);
    StringBuilder text = new StringBuilder(indent + "@Override" + layout.newline + indent);
    if (method.getModifiers().contains(Modifier.PUBLIC)) text.append("public ");
    if (method.getModifiers().contains(Modifier.PROTECTED)) text.append("protected ");
    appendVariables(signature, names, text);
    text.append(names.write(signature.getReturnType())).append(' ');
    text.append(method.getSimpleName()).append('(');
    List<? extends TypeMirror> types = signature.getParameterTypes();
    for (int i = 0; i < types.size(); i++) {
      String parameter = names.write(types.get(i));
      boolean isLast = i == types.size() - 1;
      if (isLast && method.isVarArgs() && parameter.endsWith("[]")) {
        parameter = parameter.substring(0, parameter.length() - 2) + "...";
      }
      text.append(parameter).append(' ').append(method.getParameters().get(i).getSimpleName());
      if (!isLast) text.append(", ");
    }
    text.append(')');
    List<? extends TypeMirror> thrown = signature.getThrownTypes();
    if (!thrown.isEmpty()) text.append(" throws ").append(names.writeAll(thrown, ", "));
    text.append(" {").append(layout.newline).append(indent).append(layout.step);
    text.append("throw new UnsupportedOperationException();");
    return text.append(layout.newline).append(indent).append('}').toString();
  }

  private static void appendVariables(
      ExecutableType signature, TypeNames names, StringBuilder text) {
    List<String> variables = new ArrayList<>();
    for (TypeVariable variable : signature.getTypeVariables()) {
      String name = variable.asElement().getSimpleName().toString();
      String free = name;
      // Arguments of the base may use the name of a variable of the class.
      for (int i = 2; names.isVariable(free); i++) free = name + i;
      names.renamed.put(variable.asElement(), free);
    }
    for (TypeVariable variable : signature.getTypeVariables()) {
      String bound = names.write(variable.getUpperBound());
      String name = names.write(variable);
      variables.add(bound.equals("Object") ? name : name + " extends " + bound);
    }
    if (!variables.isEmpty()) text.append('<').append(String.join(", ", variables)).append("> ");
  }
}

import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.UnionTypeTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Declares exceptions that a place throws and that the method around it does not handle. */
final class ThrowsClause {
  private final World world;
  private final World.Unit unit;
  private String title = "";

  ThrowsClause(World world, World.Unit unit) {
    this.world = world;
    this.unit = unit;
  }

  String title() {
    return title;
  }

  List<Map<String, Object>> edits(Diagnosis.Problem problem) {
    boolean isClose = problem.code.endsWith(".implicit.close");
    TreePath path =
        TreeSearch.innermost(
            world,
            unit,
            problem.position,
            tree -> isClose ? tree instanceof VariableTree : isThrowing(tree, problem.position));
    if (path == null) return List.of();
    List<TypeMirror> thrown = new ArrayList<>();
    for (TypeMirror type : isClose ? thrownByClose(path) : thrownBy(path)) {
      if (type.getKind() == TypeKind.ERROR || isUnchecked(type)) continue;
      if (!isIn(type, thrown)) thrown.add(type);
    }
    TreePath method = methodAround(path, thrown);
    return method == null || thrown.isEmpty() ? List.of() : declare(method, thrown);
  }

  private boolean isThrowing(Tree tree, int position) {
    if (tree instanceof MethodInvocationTree) {
      return position >= world.positions.end(unit, ((MethodInvocationTree) tree).getMethodSelect());
    }
    return tree instanceof ThrowTree || tree instanceof NewClassTree;
  }

  private List<? extends TypeMirror> thrownBy(TreePath path) {
    Tree tree = path.getLeaf();
    if (tree instanceof ThrowTree) {
      TypeMirror type = typeOf(path, ((ThrowTree) tree).getExpression());
      return type == null ? List.of() : List.of(type);
    }
    if (tree instanceof MethodInvocationTree) {
      TypeMirror type = typeOf(path, ((MethodInvocationTree) tree).getMethodSelect());
      if (type instanceof ExecutableType) return ((ExecutableType) type).getThrownTypes();
    }
    Element element = world.trees.getElement(path);
    return element instanceof ExecutableElement
        ? ((ExecutableElement) element).getThrownTypes()
        : List.of();
  }

  private TypeMirror typeOf(TreePath path, Tree part) {
    return world.trees.getTypeMirror(new TreePath(path, part));
  }

  private List<? extends TypeMirror> thrownByClose(TreePath resource) {
    TypeMirror type = world.trees.getTypeMirror(resource);
    if (!(type instanceof DeclaredType)) return List.of();
    TypeElement element = (TypeElement) ((DeclaredType) type).asElement();
    for (Element member : world.elements.getAllMembers(element)) {
      boolean isIt =
          Kinds.isMethod(member)
              && member.getSimpleName().contentEquals("close")
              && ((ExecutableElement) member).getParameters().isEmpty();
      if (!isIt) continue;
      TypeMirror seen = world.types.asMemberOf((DeclaredType) type, member);
      return ((ExecutableType) seen).getThrownTypes();
    }
    return List.of();
  }

  private boolean isUnchecked(TypeMirror type) {
    return isA(type, "java.lang.RuntimeException") || isA(type, "java.lang.Error");
  }

  private boolean isA(TypeMirror type, String base) {
    return world.types.isSubtype(type, world.elements.getTypeElement(base).asType());
  }

  private boolean isIn(TypeMirror type, List<? extends TypeMirror> types) {
    return types.stream().anyMatch(other -> world.types.isSubtype(type, other));
  }

  /** Takes away what is caught. Null where no method could declare the rest. */
  private TreePath methodAround(TreePath path, List<TypeMirror> thrown) {
    TreePath below = path;
    for (TreePath at = path.getParentPath(); at != null; below = at, at = at.getParentPath()) {
      Tree tree = at.getLeaf();
      if (tree instanceof MethodTree) return at;
      if (tree instanceof LambdaExpressionTree || tree instanceof ClassTree) return null;
      if (!(tree instanceof TryTree)) continue;
      TryTree attempt = (TryTree) tree;
      boolean isTried =
          below.getLeaf() == attempt.getBlock() || attempt.getResources().contains(below.getLeaf());
      if (!isTried) continue;
      for (CatchTree handler : attempt.getCatches()) {
        Tree caught = handler.getParameter().getType();
        List<Tree> types = new ArrayList<>(List.of(caught));
        if (caught instanceof UnionTypeTree) {
          types = new ArrayList<>(((UnionTypeTree) caught).getTypeAlternatives());
        }
        TreePath parameter = new TreePath(new TreePath(at, handler), handler.getParameter());
        for (Tree type : types) {
          TypeMirror mirror = typeOf(parameter, type);
          if (mirror != null) thrown.removeIf(one -> world.types.isSubtype(one, mirror));
        }
      }
    }
    return null;
  }

  private List<Map<String, Object>> declare(TreePath path, List<TypeMirror> thrown) {
    MethodTree tree = (MethodTree) path.getLeaf();
    Element element = world.trees.getElement(path);
    if (!(element instanceof ExecutableElement) || tree.getBody() == null) return List.of();
    ExecutableElement method = (ExecutableElement) element;
    thrown.removeIf(type -> isIn(type, method.getThrownTypes()));
    if (thrown.isEmpty() || !maySay(method, thrown)) return List.of();
    String types = new TypeNames(world, unit, path).writeAll(thrown, ", ");
    title = "Add throws " + types + " to " + Positions.nameOf(method);
    if (!tree.getThrows().isEmpty()) {
      int end = world.positions.end(unit, tree.getThrows().get(tree.getThrows().size() - 1));
      return List.of(CodeActions.edit(unit.source, end, end, ", " + types));
    }
    Layout layout = new Layout(unit.source);
    int end = layout.trimmed(world.positions.begin(unit, tree.getBody()));
    // Otherwise a comment stands there, or a constructor that has no parameters of its own.
    if (end == 0 || unit.source.text.charAt(end - 1) != ')') return List.of();
    return List.of(CodeActions.edit(unit.source, end, end, " throws " + types));
  }

  /** Constructors of records may not, nor may what overrides a method that does not. */
  private boolean maySay(ExecutableElement method, List<TypeMirror> thrown) {
    TypeElement owner = (TypeElement) method.getEnclosingElement();
    if (Kinds.isRecord(owner) && !Kinds.isMethod(method)) return false;
    for (TypeElement base : world.supertypesOf(owner)) {
      for (Element member : base.getEnclosedElements()) {
        boolean isBase =
            base != owner
                && Kinds.isMethod(member)
                && member.getSimpleName().equals(method.getSimpleName())
                && world.elements.overrides(method, (ExecutableElement) member, owner);
        if (!isBase) continue;
        List<? extends TypeMirror> allowed = ((ExecutableElement) member).getThrownTypes();
        if (!thrown.stream().allMatch(type -> isIn(type, allowed))) return false;
      }
    }
    return true;
  }
}

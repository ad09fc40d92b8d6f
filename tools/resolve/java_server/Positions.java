import com.sun.source.tree.ArrayTypeTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;

/** Where names stand: the compiler's trees tell only where declarations begin and end. */
final class Positions {
  private final SourcePositions positions;
  private final Map<Tree, Integer> names = new IdentityHashMap<>();
  private final Map<Tree, Tree> previous = new IdentityHashMap<>();  // siblings
  private final Set<Tree> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  Positions(SourcePositions positions) {
    this.positions = positions;
  }

  int begin(World.Unit unit, Tree tree) {
    return (int) positions.getStartPosition(unit.tree, tree);
  }

  int end(World.Unit unit, Tree tree) {
    return (int) positions.getEndPosition(unit.tree, tree);
  }

  /** Whether a declaration stands in the text, and was not added by the compiler. */
  boolean isWritten(World.Unit unit, TreePath path, Element element) {
    return end(unit, path.getLeaf()) >= 0 && nameBegin(unit, path, element) >= 0;
  }

  /** The name of a declaration as it is written: of a constructor that of its class. */
  static String nameOf(Element element) {
    boolean isConstructor = element.getKind() == ElementKind.CONSTRUCTOR;
    return (isConstructor ? element.getEnclosingElement() : element).getSimpleName().toString();
  }

  /** Where the name of a declaration begins; -1 where it is not written. */
  int nameBegin(World.Unit unit, TreePath path, Element element) {
    Tree tree = path.getLeaf();
    Integer known = names.get(tree);
    if (known != null) return known;
    String name = nameOf(element);
    int end = end(unit, tree);
    int found =
        name.isEmpty() || end < 0
            ? -1
            : unit.source.findInCode(name, searchBegin(unit, path, element), end);
    names.put(tree, found);
    return found;
  }

  private int searchBegin(World.Unit unit, TreePath path, Element element) {
    Tree tree = path.getLeaf();
    int from = begin(unit, tree);
    if (tree instanceof ClassTree) return behind(unit, ((ClassTree) tree).getModifiers(), from);
    if (tree instanceof TypeParameterTree) {
      for (Tree annotation : ((TypeParameterTree) tree).getAnnotations()) {
        from = behind(unit, annotation, from);
      }
      return from;
    }
    if (tree instanceof MethodTree) {
      MethodTree method = (MethodTree) tree;
      from = behind(unit, method.getModifiers(), from);
      for (Tree parameter : method.getTypeParameters()) from = behind(unit, parameter, from);
      return behind(unit, innermost(method.getReturnType()), from);
    }
    VariableTree variable = (VariableTree) tree;
    from = behind(unit, variable.getModifiers(), from);
    if (element.getKind() == ElementKind.ENUM_CONSTANT) return from;
    // What the compiler made of `var` and of parameters of lambdas is not written.
    Tree type = innermost(variable.getType());
    from = behind(unit, type, from);
    return Math.max(from, behindEarlier(unit, path, variable, type));
  }

  private int behind(World.Unit unit, Tree tree, int from) {
    if (tree == null) return from;
    boolean isEmpty =
        tree instanceof ModifiersTree
            && ((ModifiersTree) tree).getFlags().isEmpty()
            && ((ModifiersTree) tree).getAnnotations().isEmpty();
    return isEmpty ? from : Math.max(from, end(unit, tree));
  }

  /** In `int[] a` and `int a[]` the name stands behind `int`. */
  private static Tree innermost(Tree type) {
    while (type instanceof ArrayTypeTree) type = ((ArrayTypeTree) type).getType();
    return type;
  }

  /** Behind the variable that stands before this one in `int a = 1, b = a`. */
  private int behindEarlier(World.Unit unit, TreePath path, VariableTree variable, Tree type) {
    if (type == null || path.getParentPath() == null) return -1;
    Tree parent = path.getParentPath().getLeaf();
    if (seen.add(parent)) {
      Tree before = null;
      for (Tree sibling : siblingsIn(parent)) {
        previous.put(sibling, before);
        before = sibling;
      }
    }
    Tree before = previous.get(variable);
    if (!(before instanceof VariableTree)) return -1;
    Tree other = innermost(((VariableTree) before).getType());
    int begin = begin(unit, type);
    boolean isShared = other != null && begin >= 0 && begin(unit, other) == begin;
    return isShared ? end(unit, before) : -1;
  }

  private static List<? extends Tree> siblingsIn(Tree parent) {
    List<? extends Tree> found = List.of();
    if (parent instanceof ClassTree) found = ((ClassTree) parent).getMembers();
    if (parent instanceof BlockTree) found = ((BlockTree) parent).getStatements();
    if (parent instanceof CaseTree) found = ((CaseTree) parent).getStatements();
    if (parent instanceof ForLoopTree) found = ((ForLoopTree) parent).getInitializer();
    return found == null ? List.of() : found;
  }
}

import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Scope;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.IntersectionType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.UnionType;

/** The names that could stand where one stands, whatever is written there. */
final class Completion {
  private static final int FIELD = 5;
  private static final int METHOD = 2;
  private static final int MODULE = 9;

  private final Project project;
  private final Map<String, Integer> found = new LinkedHashMap<>();  // names with their kinds
  private World world;
  private World.Unit unit;
  private boolean isCall;  // methods come first
  private final Set<TypeElement> around = new LinkedHashSet<>();  // classes with the place inside

  Completion(Project project) {
    this.project = project;
  }

  /** A CompletionList. */
  Map<String, Object> at(Place place) throws IOException {
    Project.View view = project.home(place.path);
    if (view != null && view.world.units.containsKey(place.path)) {
      world = view.world;
      unit = world.units.get(place.path);
      world.attribute(unit);
      find(unit.source.offsetOf(place.line, place.character));
    }
    List<Object> items = new ArrayList<>();
    found.forEach((name, kind) -> items.add(Json.map("label", name, "kind", kind)));
    return Json.map("isIncomplete", false, "items", items);
  }

  private void find(int offset) {
    int begin = unit.source.wordBegin(offset);
    TreePath path =
        TreeSearch.innermost(world, unit, begin, tree -> nameBegin(tree) == begin);
    if (path == null) path = TreeSearch.innermost(world, unit, begin, tree -> true);
    if (path == null) path = new TreePath(unit.tree);
    Tree tree = path.getLeaf();
    TreePath parent = path.getParentPath();
    isCall =
        parent != null
            && parent.getLeaf() instanceof MethodInvocationTree
            && ((MethodInvocationTree) parent.getLeaf()).getMethodSelect() == tree;
    for (TreePath at = path; at != null; at = at.getParentPath()) {
      Element element = world.trees.getElement(at);
      if (element instanceof TypeElement && at.getLeaf() instanceof ClassTree) {
        around.add((TypeElement) element);
      }
    }
    if (tree instanceof MemberSelectTree) {
      addMembersOf(new TreePath(path, ((MemberSelectTree) tree).getExpression()), false);
    } else if (tree instanceof MemberReferenceTree) {
      isCall = true;
      addMembersOf(
          new TreePath(path, ((MemberReferenceTree) tree).getQualifierExpression()), true);
    } else {
      addConstants(parent);
      addScope(path);
    }
  }

  /** In the label of a case: those of the enum over which the switch goes. */
  private void addConstants(TreePath label) {
    TreePath at = label;
    // Later JDKs have a tree for labels.
    boolean isLabel = at != null && at.getLeaf().getKind().name().equals("CONSTANT_CASE_LABEL");
    if (isLabel) at = at.getParentPath();
    if (at == null || !(at.getLeaf() instanceof CaseTree)) return;
    TypeMirror type = MissingCases.selectedBy(world, at.getParentPath());
    Element element = type == null ? null : world.types.asElement(type);
    if (element == null || element.getKind() != ElementKind.ENUM) return;
    for (Element member : element.getEnclosedElements()) {
      if (member.getKind() == ElementKind.ENUM_CONSTANT) add(member);
    }
  }

  /** Where the name that a tree ends with, or is, begins; -1: it is another tree. */
  private int nameBegin(Tree tree) {
    int end = world.positions.end(unit, tree);
    if (tree instanceof IdentifierTree) return world.positions.begin(unit, tree);
    boolean isSelect = tree instanceof MemberSelectTree || tree instanceof MemberReferenceTree;
    if (!isSelect || end < 0) return -1;
    return unit.source.wordBegin(end);
  }

  private void addMembersOf(TreePath receiver, boolean isReference) {
    Element element = world.trees.getElement(receiver);
    if (element instanceof PackageElement) {
      addPackage((PackageElement) element);
      return;
    }
    boolean isType = element instanceof TypeElement && !isThis(receiver);
    TypeMirror type = world.trees.getTypeMirror(receiver);
    if (type != null) addMembersOf(type, isType, isReference, 0);
  }

  private static boolean isThis(TreePath path) {
    String text = path.getLeaf().toString();
    return text.equals("this") || text.equals("super") || text.endsWith(".this");
  }

  private void addMembersOf(TypeMirror type, boolean isType, boolean isReference, int depth) {
    if (depth > 20) return;
    List<TypeMirror> bounds = new ArrayList<>();
    if (type instanceof TypeVariable) {
      bounds.add(((TypeVariable) type).getUpperBound());
    } else if (type instanceof IntersectionType) {
      bounds.addAll(((IntersectionType) type).getBounds());
    } else if (type instanceof UnionType) {
      bounds.addAll(((UnionType) type).getAlternatives().subList(0, 1));
    } else if (type instanceof ArrayType) {
      if (!isReference && !isType) found.put("length", FIELD);
      bounds.add(world.elements.getTypeElement("java.lang.Object").asType());
    }
    for (TypeMirror bound : bounds) addMembersOf(bound, isType, isReference, depth + 1);
    if (type.getKind() != TypeKind.DECLARED) return;
    TypeElement element = (TypeElement) world.types.asElement(type);
    for (TypeElement base : world.supertypesOf(element)) {
      for (Element member : base.getEnclosedElements()) {
        boolean isStatic = member.getModifiers().contains(Modifier.STATIC);
        boolean isWrong =
            isReference ? !Kinds.isMethod(member) : isType && !isStatic && !Kinds.isType(member);
        if (!isWrong && isAccessible(member, base)) add(member);
      }
    }
  }

  private void addPackage(PackageElement pkg) {
    for (Element member : pkg.getEnclosedElements()) {
      if (isAccessible(member, null)) add(member);
    }
    String name = pkg.getQualifiedName().toString();
    Set<String> below = ClassIndex.packagesBelow(name, project.classPath());
    Set<String> own = new LinkedHashSet<>();
    for (World.Unit other : world.units.values()) {
      Tree declared = other.tree.getPackageName();
      if (declared != null) own.add(declared.toString());
    }
    ClassIndex.addBelow(name, own, below);
    for (String simple : below) found.putIfAbsent(simple, MODULE);
  }

  /** By the modifiers of the member. */
  private boolean isAccessible(Element member, TypeElement owner) {
    Set<Modifier> modifiers = member.getModifiers();
    if (modifiers.contains(Modifier.PUBLIC)) return true;
    if (modifiers.contains(Modifier.PRIVATE)) {
      return owner != null && around.stream().anyMatch(type -> outermost(type) == outermost(owner));
    }
    Tree here = unit.tree.getPackageName();
    String pkg = world.elements.getPackageOf(member).getQualifiedName().toString();
    if (pkg.equals(here == null ? "" : here.toString())) return true;
    return modifiers.contains(Modifier.PROTECTED)
        && around.stream().anyMatch(type -> world.supertypesOf(type).contains(owner));
  }

  private static Element outermost(Element type) {
    Element found = type;
    for (Element at = type; at != null; at = at.getEnclosingElement()) {
      if (at instanceof TypeElement) found = at;
    }
    return found;
  }

  private void add(Element element) {
    String name = element.getSimpleName().toString();
    boolean isNamed = !name.isEmpty() && !name.startsWith("<");
    if (!isNamed || element.getKind().name().equals("RECORD_COMPONENT")) return;
    int kind = kindOf(element);
    if (isCall && kind == METHOD) found.put(name, kind);
    found.putIfAbsent(name, kind);
  }

  private static int kindOf(Element element) {
    ElementKind kind = element.getKind();
    if (kind == ElementKind.METHOD) return METHOD;
    if (kind == ElementKind.ENUM_CONSTANT) return 20;
    if (kind == ElementKind.TYPE_PARAMETER) return 25;
    if (kind == ElementKind.PACKAGE) return MODULE;
    if (kind == ElementKind.ENUM) return 13;
    if (kind.isInterface()) return 8;
    if (kind.isClass()) return 7;
    return kind.isField() ? FIELD : 6;
  }

  /** Innermost names first, types of other packages last. */
  private void addScope(TreePath path) {
    try {
      for (Scope at = world.trees.getScope(path); at != null; at = at.getEnclosingScope()) {
        for (Element element : at.getLocalElements()) {
          boolean isOutside = element instanceof TypeElement && at.getEnclosingClass() == null;
          if (!isOutside || isAccessible(element, null)) add(element);
        }
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      // What follows is known without the compiler's help.
    }
    for (TypeElement type : around) {
      for (TypeElement base : world.supertypesOf(type)) {
        for (Element member : base.getEnclosedElements()) {
          if (isAccessible(member, base)) add(member);
        }
      }
    }
    Tree here = unit.tree.getPackageName();
    String pkg = here == null ? "" : here.toString();
    PackageElement own = world.elements.getPackageElement(pkg);
    if (own != null) own.getEnclosedElements().forEach(this::add);
    for (TypeElement type : world.classes) {
      boolean isTop = type.getEnclosingElement() instanceof PackageElement;
      if (isTop && isAccessible(type, null)) add(type);
    }
    found.remove("this");
    found.remove("super");
  }
}

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.util.TreePath;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.IntersectionType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;

/** What names of types mean at a place, and how types are written there. */
final class TypeNames {
  private final World world;
  private final World.Unit unit;
  private final TreePath owner;  // a declaration at the place
  /** Type variables that are written otherwise. */
  final Map<Element, String> renamed = new HashMap<>();

  TypeNames(World world, World.Unit unit, TreePath owner) {
    this.world = world;
    this.unit = unit;
    this.owner = owner;
  }

  /** A type as code, with the shortest names that mean it. */
  String write(TypeMirror type) {
    switch (type.getKind()) {
      case DECLARED:
        return writeDeclared((DeclaredType) type);
      case ARRAY:
        return write(((ArrayType) type).getComponentType()) + "[]";
      case TYPEVAR:
        Element variable = ((TypeVariable) type).asElement();
        String name = renamed.getOrDefault(variable, variable.getSimpleName().toString());
        // A captured wildcard has no name.
        return name.startsWith("<") ? write(((TypeVariable) type).getUpperBound()) : name;
      case WILDCARD:
        TypeMirror above = ((WildcardType) type).getExtendsBound();
        TypeMirror below = ((WildcardType) type).getSuperBound();
        if (above != null) return "? extends " + write(above);
        return below == null ? "?" : "? super " + write(below);
      case INTERSECTION:
        return writeAll(((IntersectionType) type).getBounds(), " & ");
      case ERROR:
        return type.toString();
      default:
        return type.getKind().name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether a class or method around the place declares a type variable of the name. */
  boolean isVariable(String name) {
    for (TreePath at = owner; at != null; at = at.getParentPath()) {
      Tree tree = at.getLeaf();
      List<? extends TypeParameterTree> variables = List.of();
      if (tree instanceof ClassTree) variables = ((ClassTree) tree).getTypeParameters();
      if (tree instanceof MethodTree) variables = ((MethodTree) tree).getTypeParameters();
      for (TypeParameterTree variable : variables) {
        if (variable.getName().contentEquals(name)) return true;
      }
    }
    return false;
  }

  String writeAll(List<? extends TypeMirror> types, String separator) {
    return types.stream().map(this::write).collect(Collectors.joining(separator));
  }

  private String writeDeclared(DeclaredType type) {
    TypeElement element = (TypeElement) type.asElement();
    TypeMirror outer = type.getEnclosingType();
    boolean isOfGeneric =
        outer.getKind() == TypeKind.DECLARED
            && !((DeclaredType) outer).getTypeArguments().isEmpty();
    String name =
        isOfGeneric ? write(outer) + "." + element.getSimpleName() : write(element);
    if (type.getTypeArguments().isEmpty()) return name;
    return name + "<" + writeAll(type.getTypeArguments(), ", ") + ">";
  }

  String write(TypeElement type) {
    String simple = type.getSimpleName().toString();
    if (type.getNestingKind().isNested() && type.getQualifiedName().length() == 0) return simple;
    if (!isVariable(simple) && type.equals(simpleType(simple))) return simple;
    Element outer = type.getEnclosingElement();
    return outer instanceof TypeElement
        ? write((TypeElement) outer) + "." + simple
        : type.getQualifiedName().toString();
  }

  TypeElement find(String dotted) {
    int dot = dotted.lastIndexOf('.');
    if (dot < 0) return simpleType(dotted);
    TypeElement outer = find(dotted.substring(0, dot));
    if (outer != null) return memberType(outer, dotted.substring(dot + 1));
    return world.elements.getTypeElement(dotted);
  }

  private TypeElement memberType(TypeElement outer, String simple) {
    for (TypeElement base : world.supertypesOf(outer)) {
      for (Element member : base.getEnclosedElements()) {
        boolean isIt = Kinds.isType(member) && member.getSimpleName().contentEquals(simple);
        if (isIt) return (TypeElement) member;
      }
    }
    return null;
  }

  /** By the rules of scope: members of classes around, imports, the package, java.lang. */
  private TypeElement simpleType(String simple) {
    for (TreePath at = owner; at != null; at = at.getParentPath()) {
      Element element = world.trees.getElement(at);
      if (!(element instanceof TypeElement)) continue;
      if (element.getSimpleName().contentEquals(simple)) return (TypeElement) element;
      TypeElement member = memberType((TypeElement) element, simple);
      if (member != null) return member;
    }
    CompilationUnitTree tree = unit.tree;
    for (ImportTree imported : tree.getImports()) {
      Tree qualified = imported.getQualifiedIdentifier();
      if (!(qualified instanceof MemberSelectTree)) continue;
      if (!((MemberSelectTree) qualified).getIdentifier().contentEquals(simple)) continue;
      TypeElement type = world.elements.getTypeElement(qualified.toString());
      if (type != null) return type;
    }
    String around = tree.getPackageName() == null ? "" : tree.getPackageName() + ".";
    TypeElement inPackage = world.elements.getTypeElement(around + simple);
    if (inPackage != null) return inPackage;
    for (ImportTree imported : tree.getImports()) {
      String qualified = imported.getQualifiedIdentifier().toString();
      if (!qualified.endsWith(".*")) continue;
      String prefix = qualified.substring(0, qualified.length() - 1);
      TypeElement type = world.elements.getTypeElement(prefix + simple);
      if (type != null) return type;
    }
    return world.elements.getTypeElement("java.lang." + simple);
  }
}

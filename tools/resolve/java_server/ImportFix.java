import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeKind;

/** Imports of classes that a file names and does not find. */
final class ImportFix {
  private final World world;
  private final World.Unit unit;
  private final List<File> classPath;
  private final Set<String> modules;  // of the JDK that the file may use; null: all
  private final Layout layout;

  ImportFix(World world, World.Unit unit, List<File> classPath, Set<String> modules) {
    this.world = world;
    this.unit = unit;
    this.classPath = classPath;
    this.modules = modules;
    layout = new Layout(unit.source);
  }

  /** Qualified names of classes, one of which the place may mean: first those of the project. */
  List<String> candidates(Diagnosis.Problem problem) {
    TreePath path =
        TreeSearch.innermost(
            world, unit, problem.start, tree -> tree instanceof IdentifierTree);
    if (path == null || world.positions.begin(unit, path.getLeaf()) != problem.start) {
      return List.of();
    }
    Element found = world.trees.getElement(path);
    boolean isUnknown =
        found == null
            || found.asType().getKind() == TypeKind.ERROR
            || problem.code.endsWith(".doesnt.exist") && found instanceof PackageElement
            || problem.code.endsWith(".ref.ambiguous");
    if (!isUnknown) return List.of();
    for (TreePath at = path; at != null; at = at.getParentPath()) {
      if (at.getLeaf().getKind() == Tree.Kind.IMPORT) return List.of();
      if (at.getLeaf().getKind().name().equals("PACKAGE")) return List.of();
    }
    Tree parent = path.getParentPath().getLeaf();
    boolean isAnnotation =
        parent instanceof AnnotationTree
            && ((AnnotationTree) parent).getAnnotationType() == path.getLeaf();
    return candidates(((IdentifierTree) path.getLeaf()).getName().toString(), isAnnotation);
  }

  private List<String> candidates(String simple, boolean isAnnotation) {
    for (ImportTree tree : unit.tree.getImports()) {
      // One that leads nowhere would contradict the new one.
      if (nameOf(tree).endsWith("." + simple)) return List.of();
    }
    Set<String> own = new TreeSet<>();
    for (TypeElement type : world.classes) {
      if (!type.getSimpleName().contentEquals(simple)) continue;
      String name = type.getQualifiedName().toString();
      if (isWanted(name, isAnnotation)) own.add(name);
    }
    Set<String> found = new LinkedHashSet<>(own);
    found.addAll(
        ClassIndex.find(
            simple, classPath, modules, own.isEmpty(), name -> isWanted(name, isAnnotation)));
    return new ArrayList<>(found);
  }

  private boolean isWanted(String name, boolean isAnnotation) {
    TypeElement type = name.isEmpty() ? null : world.elements.getTypeElement(name);
    return type != null
        && isImportable(type)
        && (!isAnnotation || type.getKind() == ElementKind.ANNOTATION_TYPE);
  }

  private boolean isImportable(TypeElement type) {
    String pkg = world.elements.getPackageOf(type).getQualifiedName().toString();
    Tree here = unit.tree.getPackageName();
    boolean isSame = pkg.equals(here == null ? "" : here.toString());
    if (pkg.isEmpty() || isSame && type.getEnclosingElement() instanceof PackageElement) {
      return false;
    }
    for (Element at = type; Kinds.isType(at); at = at.getEnclosingElement()) {
      Set<Modifier> modifiers = at.getModifiers();
      boolean isOpen = isSame && !modifiers.contains(Modifier.PRIVATE);
      if (!isOpen && !modifiers.contains(Modifier.PUBLIC)) return false;
    }
    return true;
  }

  static String nameOf(ImportTree tree) {
    return tree.getQualifiedIdentifier().toString();
  }

  /** Adds an import to those that begin most like it, behind the last that is less. */
  Map<String, Object> edit(String name) {
    ImportTree lesser = null;
    ImportTree first = null;
    ImportTree last = null;
    int likeness = -1;
    for (ImportTree tree : unit.tree.getImports()) {
      last = tree;
      if (tree.isStatic() || isOfModule(tree)) continue;
      int alike = commonSegments(nameOf(tree), name);
      if (alike < likeness) continue;
      if (alike > likeness) {
        likeness = alike;
        lesser = null;
        first = tree;
      }
      if (nameOf(tree).compareTo(name) < 0) lesser = tree;
    }
    String line = "import " + name + ";";
    if (lesser != null) return behind(lesser, layout.newline + line);
    if (first == null && last != null) return behind(last, layout.newline + layout.newline + line);
    if (first == null) return firstImport(line);
    int begin = world.positions.begin(unit, first);
    return CodeActions.edit(unit.source, begin, begin, line + layout.newline);
  }

  /** Whether it is of the form `import module M;`, which JDK 25 has. */
  static boolean isOfModule(ImportTree tree) {
    String text = tree.toString().trim();
    return text.matches("(?s)import\\s+module\\s+[\\w.]+.*");
  }

  private static int commonSegments(String one, String other) {
    String[] left = one.split("\\.");
    String[] right = other.split("\\.");
    int common = 0;
    while (common < Math.min(left.length, right.length) && left[common].equals(right[common])) {
      common++;
    }
    return common;
  }

  private Map<String, Object> behind(Tree tree, String text) {
    int end = world.positions.end(unit, tree);
    int lineEnd = layout.trimmed(layout.lineEnd(end));
    // A comment that ends the line belongs to it.
    String rest = lineEnd < end ? "" : unit.source.text.substring(end, lineEnd).trim();
    if (rest.startsWith("//")) end = lineEnd;
    return CodeActions.edit(unit.source, end, end, text);
  }

  private Map<String, Object> firstImport(String line) {
    String text = unit.source.text;
    String gap = layout.newline + layout.newline;
    if (unit.tree.getPackageName() != null) {
      int end = world.positions.end(unit, unit.tree.getPackage());
      int next = layout.lineEnd(end);
      boolean isGapBehind = next < text.length() && layout.isBlank(next, layout.lineEnd(next));
      return behind(unit.tree.getPackage(), gap + line + (isGapBehind ? "" : layout.newline));
    }
    int begin = text.startsWith("\uFEFF") ? 1 : 0;
    boolean isLicense = text.startsWith("/*", begin) && !text.startsWith("/**", begin);
    int end = isLicense ? text.indexOf("*/") : -1;
    if (end < 0) return CodeActions.edit(unit.source, begin, begin, line + gap);
    return CodeActions.edit(unit.source, end + 2, end + 2, gap + line + layout.newline);
  }
}

import com.sun.source.doctree.ReferenceTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.doctree.DocCommentTree;
import com.sun.source.util.DocTreeScanner;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeKind;

/** Removes the imports that nothing in a file uses. In doubt an import is used. */
final class ImportCleanup {
  private final World world;
  private final World.Unit unit;
  private final Layout layout;
  private final Map<String, Set<Element>> uses = new HashMap<>();  // by simple names
  private final Set<String> unknown = new HashSet<>();  // simple names
  private final Set<String> documented = new HashSet<>();  // words of references

  ImportCleanup(World world, World.Unit unit) {
    this.world = world;
    this.unit = unit;
    layout = new Layout(unit.source);
  }

  /** Empty where nothing is to be removed, or the file is not understood. */
  List<Map<String, Object>> edits() {
    if (unit.syntaxError != null || world.flaw != null) return List.of();
    new Uses().scan(new TreePath(unit.tree), null);
    Set<String> seen = new HashSet<>();
    List<ImportTree> unused = new ArrayList<>();
    for (ImportTree tree : unit.tree.getImports()) {
      String name = (tree.isStatic() ? "static " : "") + ImportFix.nameOf(tree);
      if (ImportFix.isOfModule(tree)) continue;
      if (!seen.add(name) || !isUsed(tree)) unused.add(tree);
    }
    return removals(unused);
  }

  private final class Uses extends TreePathScanner<Void, Void> {
    @Override
    public Void visitCompilationUnit(CompilationUnitTree tree, Void nothing) {
      if (unit.source.path.endsWith("package-info.java")) addDocs(getCurrentPath());
      scan(tree.getPackage(), null);
      scan(tree.getTypeDecls(), null);
      return null;
    }

    @Override
    public Void scan(Tree tree, Void nothing) {
      boolean isDeclaration =
          tree instanceof ClassTree || tree instanceof MethodTree || tree instanceof VariableTree;
      if (isDeclaration) addDocs(new TreePath(getCurrentPath(), tree));
      return super.scan(tree, nothing);
    }

    @Override
    public Void visitIdentifier(IdentifierTree tree, Void nothing) {
      Element element = world.trees.getElement(getCurrentPath());
      String name = tree.getName().toString();
      if (element == null || element.asType().getKind() == TypeKind.ERROR) {
        unknown.add(name);
      } else {
        uses.computeIfAbsent(name, n -> new HashSet<>()).add(element);
      }
      return null;
    }

    private void addDocs(TreePath path) {
      DocCommentTree comment = world.trees.getDocCommentTree(path);
      if (comment == null) return;
      new DocTreeScanner<Void, Void>() {
        @Override
        public Void visitReference(ReferenceTree tree, Void none) {
          documented.addAll(
              Arrays.asList(tree.getSignature().split("[^\\p{javaJavaIdentifierPart}]+")));
          return super.visitReference(tree, none);
        }
      }.scan(comment, null);
    }
  }

  private boolean isUsed(ImportTree tree) {
    String name = ImportFix.nameOf(tree);
    int dot = name.lastIndexOf('.');
    if (dot < 0) return true;
    String simple = name.substring(dot + 1);
    String outer = name.substring(0, dot);
    TypeElement type = world.elements.getTypeElement(outer);
    if (simple.equals("*")) return isAnyUsed(outer, type);
    if (unknown.contains(simple) || documented.contains(simple)) return true;
    TypeElement imported = tree.isStatic() ? null : world.elements.getTypeElement(name);
    for (Element use : uses.getOrDefault(simple, Set.of())) {
      if (imported != null ? use.equals(imported) : isMemberOf(use, type)) return true;
    }
    return false;
  }

  /** Whether something may come from `import outer.*`. */
  private boolean isAnyUsed(String outer, TypeElement type) {
    if (!unknown.isEmpty()) return true;
    for (String word : documented) {
      if (type != null || world.elements.getTypeElement(outer + "." + word) != null) return true;
    }
    for (Set<Element> elements : uses.values()) {
      for (Element use : elements) {
        Element owner = use.getEnclosingElement();
        boolean isInPackage =
            owner instanceof PackageElement
                && ((PackageElement) owner).getQualifiedName().contentEquals(outer);
        if (isInPackage || type != null && isMemberOf(use, type)) return true;
      }
    }
    return false;
  }

  private boolean isMemberOf(Element use, TypeElement type) {
    Element owner = use.getEnclosingElement();
    boolean isStatic = Kinds.isType(use) || use.getModifiers().contains(Modifier.STATIC);
    if (!isStatic || !(owner instanceof TypeElement)) return false;
    return type == null || world.supertypesOf(type).contains(owner);
  }

  /** Whole lines, where nothing else stands on them. */
  private List<Map<String, Object>> removals(List<ImportTree> unused) {
    String text = unit.source.text;
    List<int[]> ranges = new ArrayList<>();
    for (ImportTree tree : unused) {
      int begin = world.positions.begin(unit, tree);
      int end = world.positions.end(unit, tree);
      int lineBegin = layout.lineBegin(begin);
      int lineEnd = layout.lineEnd(end);
      String rest = text.substring(end, lineEnd).trim();
      boolean isAlone =
          layout.isBlank(lineBegin, begin) && (rest.isEmpty() || rest.startsWith("//"));
      int[] range = isAlone ? new int[] {lineBegin, lineEnd} : new int[] {begin, end};
      int[] before = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
      if (before != null && before[1] == range[0]) {
        before[1] = range[1];
      } else {
        ranges.add(range);
      }
    }
    List<Map<String, Object>> edits = new ArrayList<>();
    for (int[] range : ranges) {
      // Of the empty lines around a group that goes one is left.
      boolean isFirst = layout.isBlank(0, range[0]);
      boolean isGap =
          layout.lineBegin(range[0]) == range[0]
              && (isFirst || layout.isBlank(layout.lineBegin(range[0] - 1), range[0]));
      int next = layout.lineEnd(range[1]);
      if (isGap && range[1] < text.length() && layout.isBlank(range[1], next)) range[1] = next;
      edits.add(CodeActions.edit(unit.source, range[0], range[1], ""));
    }
    return edits;
  }
}

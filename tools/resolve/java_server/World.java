import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.File;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Source files in which each class has one declaration, as the compiler understands them. */
final class World implements DiagnosticListener<JavaFileObject> {
  private static final int MAX_ERRORS = 5000;

  /** A source file of the world. */
  static final class Unit {
    final SourceText source;
    CompilationUnitTree tree;
    String syntaxError;  // the first one; null: none
    private boolean isAttributed;
    /** The first error of each line, from 0. */
    final Map<Integer, Diagnostic<?>> errors = new HashMap<>();
    List<Diagnosis.Problem> problems;  // null: nobody has asked for them

    Unit(SourceText source) {
      this.source = source;
    }
  }

  /** Where an element is declared. */
  static final class Declaration {
    final Unit unit;
    final TreePath path;

    Declaration(Unit unit, TreePath path) {
      this.unit = unit;
      this.path = path;
    }
  }

  final Map<Path, Unit> units = new LinkedHashMap<>();
  final DocTrees trees;
  final Elements elements;
  final Types types;
  final Positions positions;
  /** Why places may be missing whatever is asked; null: none is known. */
  String flaw;

  final List<TypeElement> classes = new ArrayList<>();
  private final Set<Element> anonymous = new HashSet<>();  // classes
  private final Map<Element, Declaration> declarations = new HashMap<>();
  private final JavacTask task;
  private final StandardJavaFileManager files;
  private boolean isEntered;
  private int errorCount;
  private final Map<TypeElement, Set<TypeElement>> supertypes = new HashMap<>();

  /** Parses the files. Throws what the parser throws, such as StackOverflowError. */
  World(Collection<SourceText> sources, List<File> classPath) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    files = compiler.getStandardFileManager(this, Locale.ENGLISH, StandardCharsets.UTF_8);
    files.setLocation(StandardLocation.CLASS_PATH, classPath);
    // Otherwise sources would be looked for on the class path.
    files.setLocation(StandardLocation.SOURCE_PATH, List.of());
    List<String> options =
        List.of(
            "-proc:none",
            "-implicit:none",
            "-Xlint:none",
            "-nowarn",
            "-Xmaxerrs",
            String.valueOf(MAX_ERRORS),
            // The rest of the compiler finds errors that resolve no name.
            "-XDshould-stop.ifError=ATTR",
            "-XDshould-stop.ifNoError=ATTR");
    OutputStreamWriter nowhere =
        new OutputStreamWriter(OutputStream.nullOutputStream(), StandardCharsets.UTF_8);
    for (SourceText source : sources) units.put(source.path, new Unit(source));
    task = (JavacTask) compiler.getTask(nowhere, files, this, options, null, sources);
    trees = DocTrees.instance(task);
    elements = task.getElements();
    types = task.getTypes();
    positions = new Positions(trees.getSourcePositions());
    if (sources.isEmpty()) return;  // the compiler would take that for an error
    for (CompilationUnitTree tree : task.parse()) unitOf(tree.getSourceFile()).tree = tree;
    units.values().removeIf(unit -> unit.tree == null);
  }

  /** The compiler wraps the files that it is given. */
  private Unit unitOf(JavaFileObject file) {
    return file == null ? null : units.get(Path.of(file.toUri()));
  }

  @Override
  public void report(Diagnostic<? extends JavaFileObject> diagnostic) {
    if (diagnostic.getKind() != Diagnostic.Kind.ERROR || ++errorCount > MAX_ERRORS) return;
    Unit unit = unitOf(diagnostic.getSource());
    if (unit == null || diagnostic.getPosition() == Diagnostic.NOPOS) return;
    int line = unit.source.lineOf((int) diagnostic.getPosition());
    unit.errors.putIfAbsent(line, diagnostic);
    if (!isEntered && unit.syntaxError == null) {
      unit.syntaxError = "line " + (line + 1) + ": " + messageOf(diagnostic);
    }
  }

  static String messageOf(Diagnostic<?> diagnostic) {
    String[] lines = diagnostic.getMessage(Locale.ENGLISH).split("\n");
    for (String line : lines) {
      String symbol = line.trim();
      if (!symbol.startsWith("symbol:")) continue;
      return lines[0] + ", " + symbol.substring("symbol:".length()).trim();
    }
    return lines[0];
  }

  /** Resolves what classes declare. What stands in their bodies is resolved by attribute(). */
  void enter() {
    if (isEntered) return;
    isEntered = true;
    if (units.isEmpty()) return;
    try {
      elements.getTypeElement("java.lang.Object");  // asking for any class enters all of them
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      flaw = "the compiler gave up (" + e + ")";
      return;
    }
    for (Unit unit : units.values()) new Indexer(unit, false).scan(unit.tree, null);
  }

  /** Resolves every name of a file. */
  void attribute(Unit unit) {
    if (unit.isAttributed) return;
    unit.isAttributed = true;
    try {
      for (Tree type : unit.tree.getTypeDecls()) {
        if (!(type instanceof ClassTree)) continue;
        TreePath path = new TreePath(new TreePath(unit.tree), type);
        // Asked for the element of a tree that has none, the compiler attributes the class around.
        trees.getElement(new TreePath(path, ((ClassTree) type).getModifiers()));
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      flaw = "the compiler gave up in " + unit.source.path.getFileName() + " (" + e + ")";
    }
    int before = classes.size();
    new Indexer(unit, true).scan(unit.tree, null);
    if (classes.size() > before) overrides.clear();
  }

  void attributeHolding(String name) {
    for (Unit unit : units.values()) {
      if (!unit.isAttributed && unit.source.holds(name)) attribute(unit);
    }
  }

  void close() {
    try {
      files.close();
    } catch (IOException e) {
      // Only jar files were open for reading.
    }
  }

  private final class Indexer extends TreePathScanner<Void, Void> {
    private final Unit unit;
    private final boolean withBodies;

    Indexer(Unit unit, boolean withBodies) {
      this.unit = unit;
      this.withBodies = withBodies;
    }

    private void add() {
      Element element = trees.getElement(getCurrentPath());
      if (element == null || !positions.isWritten(unit, getCurrentPath(), element)) return;
      Declaration before = declarations.putIfAbsent(element, new Declaration(unit, getCurrentPath()));
      if (before == null && element instanceof TypeElement) classes.add((TypeElement) element);
    }

    @Override
    public Void visitClass(ClassTree tree, Void nothing) {
      if (tree.getSimpleName().length() == 0) {
        Element element = trees.getElement(getCurrentPath());
        if (element instanceof TypeElement && anonymous.add(element)) {
          classes.add((TypeElement) element);
        }
      } else {
        add();
      }
      return super.visitClass(tree, nothing);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void nothing) {
      add();
      if (withBodies) return super.visitMethod(tree, nothing);
      scan(tree.getTypeParameters(), nothing);
      return null;
    }

    @Override
    public Void visitVariable(VariableTree tree, Void nothing) {
      add();
      return withBodies ? super.visitVariable(tree, nothing) : null;
    }

    @Override
    public Void visitBlock(BlockTree tree, Void nothing) {
      return withBodies ? super.visitBlock(tree, nothing) : null;
    }

    @Override
    public Void visitTypeParameter(TypeParameterTree tree, Void nothing) {
      add();
      return super.visitTypeParameter(tree, nothing);
    }
  }

  /** The declaration of an element; of what is not written, that of what it was made from. */
  Declaration declarationOf(Element element) {
    Declaration found = declarations.get(element);
    if (found != null || element == null) return found;
    Element owner = element.getEnclosingElement();
    if (Kinds.isRecordMember(element) || Kinds.isRecord(owner)) {
      for (Element member : owner.getEnclosedElements()) {
        boolean isField = member.getKind() == ElementKind.FIELD;
        if (isField && member.getSimpleName().equals(element.getSimpleName())) {
          return declarations.get(member);
        }
      }
    }
    return element.getKind() == ElementKind.CONSTRUCTOR ? declarations.get(owner) : null;
  }

  boolean isWritten(Element element) {
    return declarations.containsKey(element);
  }

  /** Whether the element, or the class around it, is declared in these files. */
  boolean isOfProject(Element element) {
    for (Element at = element; at != null; at = at.getEnclosingElement()) {
      if (declarations.containsKey(at)) return true;
    }
    return false;
  }

  /** The type and all above it, Object included. */
  Set<TypeElement> supertypesOf(TypeElement type) {
    Set<TypeElement> known = supertypes.get(type);
    if (known != null) return known;
    Set<TypeElement> found = new LinkedHashSet<>();
    List<TypeElement> open = new ArrayList<>(List.of(type));
    while (!open.isEmpty()) {
      TypeElement next = open.remove(open.size() - 1);
      if (!found.add(next)) continue;
      for (TypeMirror base : types.directSupertypes(next.asType())) {
        Element element = types.asElement(base);
        if (element instanceof TypeElement) open.add((TypeElement) element);
      }
    }
    supertypes.put(type, found);
    return found;
  }

  /** A base above the type that is not found; null if all are. */
  String missingBaseOf(TypeElement type) {
    for (TypeElement base : supertypesOf(type)) {
      if (!isOfProject(base)) continue;
      List<TypeMirror> bases = new ArrayList<>(base.getInterfaces());
      bases.add(base.getSuperclass());
      for (TypeMirror above : bases) {
        if (above.getKind() == TypeKind.ERROR) return above.toString();
      }
    }
    return null;
  }

  /** Methods and what overrides them: each pair of them is connected in a class of the project. */
  private final Map<String, Map<ExecutableElement, Set<ExecutableElement>>> overrides =
      new HashMap<>();

  private Map<ExecutableElement, Set<ExecutableElement>> overridesOf(String name, int arity) {
    attributeHolding(name);  // for methods of anonymous classes
    return overrides.computeIfAbsent(
        name + "/" + arity,
        key -> {
          Map<ExecutableElement, Set<ExecutableElement>> above = new HashMap<>();
          for (TypeElement type : classes) {
            List<ExecutableElement> methods = new ArrayList<>();
            for (TypeElement base : supertypesOf(type)) {
              for (Element member : base.getEnclosedElements()) {
                if (member.getKind() != ElementKind.METHOD) continue;
                ExecutableElement method = (ExecutableElement) member;
                boolean isAlike =
                    method.getSimpleName().contentEquals(name)
                        && method.getParameters().size() == arity;
                if (isAlike) methods.add(method);
              }
            }
            for (ExecutableElement method : methods) {
              for (ExecutableElement other : methods) {
                if (method == other || !overrides(method, other, type)) continue;
                above.computeIfAbsent(method, m -> new LinkedHashSet<>()).add(other);
              }
            }
          }
          return above;
        });
  }

  private boolean overrides(ExecutableElement method, ExecutableElement other, TypeElement type) {
    if (elements.overrides(method, other, type)) return true;
    // What an interface declares is implemented together with what Object declares.
    Element owner = other.getEnclosingElement();
    return method.getEnclosingElement().getKind().isInterface()
        && ((TypeElement) owner).getQualifiedName().contentEquals("java.lang.Object")
        && other.getModifiers().contains(Modifier.PUBLIC)
        && types.isSubsignature(
            (ExecutableType) method.asType(),
            (ExecutableType) other.asType());
  }

  /** What the method overrides, and so on upwards; without itself. */
  Set<ExecutableElement> overriddenBy(ExecutableElement method) {
    return closure(method, overridesOf(nameOf(method), method.getParameters().size()));
  }

  /** What overrides the method, directly or not; without itself. */
  Set<ExecutableElement> overridersOf(ExecutableElement method) {
    Map<ExecutableElement, Set<ExecutableElement>> below = new HashMap<>();
    overridesOf(nameOf(method), method.getParameters().size())
        .forEach(
            (overrider, bases) -> {
              for (ExecutableElement base : bases) {
                below.computeIfAbsent(base, m -> new LinkedHashSet<>()).add(overrider);
              }
            });
    return closure(method, below);
  }

  /** All methods that have one name because of overriding. */
  Set<ExecutableElement> familyOf(ExecutableElement method) {
    Map<ExecutableElement, Set<ExecutableElement>> both = new HashMap<>();
    overridesOf(nameOf(method), method.getParameters().size())
        .forEach(
            (overrider, bases) -> {
              for (ExecutableElement base : bases) {
                both.computeIfAbsent(base, m -> new LinkedHashSet<>()).add(overrider);
                both.computeIfAbsent(overrider, m -> new LinkedHashSet<>()).add(base);
              }
            });
    Set<ExecutableElement> family = closure(method, both);
    family.add(method);
    return family;
  }

  /** By erasure. */
  boolean haveSameParameters(ExecutableElement a, ExecutableElement b) {
    List<? extends Element> left = a.getParameters();
    List<? extends Element> right = b.getParameters();
    if (left.size() != right.size()) return false;
    for (int i = 0; i < left.size(); i++) {
      TypeMirror one = types.erasure(left.get(i).asType());
      if (!types.isSameType(one, types.erasure(right.get(i).asType()))) return false;
    }
    return true;
  }

  private static Set<ExecutableElement> closure(
      ExecutableElement from, Map<ExecutableElement, Set<ExecutableElement>> next) {
    Set<ExecutableElement> found = new LinkedHashSet<>();
    List<ExecutableElement> open = new ArrayList<>(List.of(from));
    while (!open.isEmpty()) {
      for (ExecutableElement method : next.getOrDefault(open.remove(open.size() - 1), Set.of())) {
        if (method != from && found.add(method)) open.add(method);
      }
    }
    return found;
  }

  private static String nameOf(Element element) {
    return element.getSimpleName().toString();
  }

  /** Classes of the project directly below a type. */
  Set<TypeElement> directSubtypesOf(TypeElement type) {
    if (type.getSimpleName().length() > 0) attributeHolding(nameOf(type));  // for local classes
    Set<TypeElement> found = new LinkedHashSet<>();
    for (TypeElement candidate : classes) {
      for (TypeMirror base : types.directSupertypes(candidate.asType())) {
        if (types.asElement(base) == type) found.add(candidate);
      }
    }
    return found;
  }

  /** Classes of the project below a type. */
  Set<TypeElement> subtypesOf(TypeElement type) {
    Set<TypeElement> found = new LinkedHashSet<>();
    List<TypeElement> open = new ArrayList<>(List.of(type));
    while (!open.isEmpty()) {
      for (TypeElement below : directSubtypesOf(open.remove(open.size() - 1))) {
        if (found.add(below)) open.add(below);
      }
    }
    return found;
  }
}

// Tells what every name of Java sources means, by the JDK's own compiler, for trials.
//
//   java JavaNames.java FOLDER < list of files, one a line, relative to FOLDER
//
// Prints lines of fields divided by tabs; places count from 1, columns in UTF-16 units:
//
//   name  FILE LINE COLUMN KEY        a name and the key of its declaration
//   decl  FILE LINE COLUMN KEY KIND OWNER
//   fixed KEY                         a library gives the name (it overrides a member of one)
//
// Methods that override one another, and what a class and its constructors are called, have one key.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.*;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

public class JavaNames {
  static final Map<Element, Integer> keys = new HashMap<>();
  static final List<Integer> parents = new ArrayList<>();
  static final Set<Integer> fixed = new HashSet<>();
  static final List<Object[]> names = new ArrayList<>(); // file, offset, element
  static final List<Object[]> declarations = new ArrayList<>(); // file, offset, element
  static final List<TypeElement> types = new ArrayList<>();
  static Elements elements;
  static Types typeTools;

  static int find(int key) {
    while (parents.get(key) != key) key = parents.get(key);
    return key;
  }

  static int keyOf(Element element) {
    if (element.getKind() == ElementKind.CONSTRUCTOR) element = element.getEnclosingElement();
    return keys.computeIfAbsent(element, unused -> {
      parents.add(parents.size());
      return parents.size() - 1;
    });
  }

  static class Scanner extends TreePathScanner<Void, Void> {
    final String file;
    final CharSequence text;
    final CompilationUnitTree unit;
    final Trees trees;
    final SourcePositions positions;

    Scanner(String file, CharSequence text, CompilationUnitTree unit, Trees trees) {
      this.file = file;
      this.text = text;
      this.unit = unit;
      this.trees = trees;
      this.positions = trees.getSourcePositions();
    }

    long end(Tree tree, long otherwise) {
      long end = tree == null ? -1 : positions.getEndPosition(unit, tree);
      return end < 0 ? otherwise : end;
    }

    void declare(Tree tree, CharSequence name, long from, boolean isNew) {
      Element element = trees.getElement(getCurrentPath());
      if (element == null || name.length() == 0 || from < 0) return;
      Matcher matcher = Pattern.compile("(?<![\\w$])" + Pattern.quote(name.toString()) + "(?![\\w$])").matcher(text);
      if (!matcher.find((int) from) || matcher.start() > end(tree, text.length())) return;
      names.add(new Object[] {file, matcher.start(), element});
      if (isNew) declarations.add(new Object[] {file, matcher.start(), element});
    }

    void use(Element element, CharSequence name, long offset) {
      if (element == null || offset < 0 || offset + name.length() > text.length()) return;
      if (!text.subSequence((int) offset, (int) offset + name.length()).toString().contentEquals(name)) return;
      names.add(new Object[] {file, (int) offset, element});
    }

    @Override
    public Void visitClass(ClassTree tree, Void unused) {
      long from = end(tree.getModifiers(), positions.getStartPosition(unit, tree));
      declare(tree, tree.getSimpleName(), from, true);
      Element element = trees.getElement(getCurrentPath());
      if (element instanceof TypeElement) types.add((TypeElement) element);
      return super.visitClass(tree, unused);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void unused) {
      long start = positions.getStartPosition(unit, tree);
      long from = end(tree.getReturnType(), end(tree.getModifiers(), start));
      Element element = trees.getElement(getCurrentPath());
      boolean isConstructor = tree.getName().contentEquals("<init>");
      if (element != null && elements.getOrigin(element) == Elements.Origin.EXPLICIT) {
        for (TypeParameterTree parameter : tree.getTypeParameters()) from = Math.max(from, end(parameter, from));
        declare(tree, isConstructor ? element.getEnclosingElement().getSimpleName() : tree.getName(), from,
            !isConstructor);
      }
      return super.visitMethod(tree, unused);
    }

    @Override
    public Void visitVariable(VariableTree tree, Void unused) {
      long start = positions.getStartPosition(unit, tree);
      long from = end(tree.getModifiers(), start);
      Element element = trees.getElement(getCurrentPath());
      if (element == null || element.getKind() != ElementKind.ENUM_CONSTANT) from = end(tree.getType(), from);
      declare(tree, tree.getName(), from, true);
      return super.visitVariable(tree, unused);
    }

    @Override
    public Void visitIdentifier(IdentifierTree tree, Void unused) {
      use(trees.getElement(getCurrentPath()), tree.getName(), positions.getStartPosition(unit, tree));
      return super.visitIdentifier(tree, unused);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
      Element element = trees.getElement(getCurrentPath());
      long offset = end(tree, -1) - tree.getIdentifier().length();
      if (getCurrentPath().getParentPath().getLeaf() instanceof ImportTree
          && ((ImportTree) getCurrentPath().getParentPath().getLeaf()).isStatic()) {
        TypeElement type = elements.getTypeElement(tree.getExpression().toString());
        if (type != null) {
          for (Element member : elements.getAllMembers(type)) {
            if (member.getSimpleName().contentEquals(tree.getIdentifier())) element = member;
          }
        }
      }
      use(element, tree.getIdentifier(), offset);
      return super.visitMemberSelect(tree, unused);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void unused) {
      use(trees.getElement(getCurrentPath()), tree.getName(), end(tree, -1) - tree.getName().length());
      return super.visitMemberReference(tree, unused);
    }
  }

  // Methods of all types above one, itself included.
  static void collect(TypeMirror mirror, Set<TypeElement> seen) {
    Element element = typeTools.asElement(mirror);
    if (!(element instanceof TypeElement) || !seen.add((TypeElement) element)) return;
    for (TypeMirror above : typeTools.directSupertypes(element.asType())) collect(above, seen);
  }

  static void tieOverrides(Set<Element> declared) {
    for (TypeElement type : types) {
      Set<TypeElement> above = new LinkedHashSet<>();
      collect(type.asType(), above);
      Map<String, List<ExecutableElement>> byName = new HashMap<>();
      for (TypeElement one : above) {
        for (ExecutableElement method : ElementFilter.methodsIn(one.getEnclosedElements())) {
          byName.computeIfAbsent(method.getSimpleName().toString(), unused -> new ArrayList<>()).add(method);
        }
      }
      for (List<ExecutableElement> methods : byName.values()) {
        for (ExecutableElement one : methods) {
          for (ExecutableElement other : methods) {
            if (one == other || !elements.overrides(one, other, type)) continue;
            if (!declared.contains(one)) continue;
            if (declared.contains(other)) parents.set(find(keyOf(one)), find(keyOf(other)));
            else fixed.add(keyOf(one));
          }
        }
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
    List<File> files = new ArrayList<>();
    BufferedReader reader = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      files.add(new File(arguments[0], line));
    }
    JavacTask task = (JavacTask) compiler.getTask(null, manager, problem -> {},
        List.of("-proc:none", "-encoding", "UTF-8", "-Xmaxerrs", "100000"), null,
        manager.getJavaFileObjectsFromFiles(files));
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    elements = task.getElements();
    typeTools = task.getTypes();
    Trees trees = Trees.instance(task);
    String root = new File(arguments[0]).getPath() + File.separator;
    Map<String, LineMap> lines = new HashMap<>();
    Map<String, CharSequence> texts = new HashMap<>();
    for (CompilationUnitTree unit : units) {
      String file = new File(unit.getSourceFile().toUri()).getPath().substring(root.length());
      CharSequence text = unit.getSourceFile().getCharContent(true);
      lines.put(file, unit.getLineMap());
      texts.put(file, text);
      new Scanner(file, text, unit, trees).scan(unit, null);
    }
    Set<Element> declared = new HashSet<>();
    for (Object[] declaration : declarations) declared.add((Element) declaration[2]);
    tieOverrides(declared);
    StringBuilder out = new StringBuilder();
    for (Object[] name : names) {
      Element element = (Element) name[2];
      Element owner = element.getKind() == ElementKind.CONSTRUCTOR ? element.getEnclosingElement() : element;
      if (declared.contains(owner)) print(out, "name", name, lines, texts).append('\n');
    }
    for (Object[] declaration : declarations) {
      Element element = (Element) declaration[2];
      print(out, "decl", declaration, lines, texts).append('\t').append(element.getKind()).append('\t')
          .append(element.getEnclosingElement()).append('\n');
    }
    Set<Integer> all = new TreeSet<>();
    for (int key : fixed) all.add(find(key));
    for (int key : all) out.append("fixed\t").append(key).append('\n');
    System.out.print(out);
  }

  // LineMap counts a tab as several columns.
  static StringBuilder print(StringBuilder out, String what, Object[] name, Map<String, LineMap> lines,
      Map<String, CharSequence> texts) {
    String file = (String) name[0];
    int offset = (Integer) name[1];
    LineMap map = lines.get(file);
    long line = map.getLineNumber(offset);
    return out.append(what).append('\t').append(file).append('\t').append(line).append('\t')
        .append(offset - map.getStartPosition(line) + 1).append('\t').append(find(keyOf((Element) name[2])));
  }
}

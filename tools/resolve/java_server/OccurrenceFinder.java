import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.AnnotatedTypeTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeKind;

/** Finds the places of one file that hold a name, and what they mean. */
final class OccurrenceFinder extends TreePathScanner<Void, Void> {
  private final World world;
  private final World.Unit unit;
  private final String name;
  private final boolean withConstructors;
  private final List<Occurrence> found = new ArrayList<>();

  private OccurrenceFinder(World world, World.Unit unit, String name, boolean withConstructors) {
    this.world = world;
    this.unit = unit;
    this.name = name;
    this.withConstructors = withConstructors;
  }

  /**
   * With constructors, places that call one are named beside those that hold the name: `new Name`,
   * `this(…)`, `super(…)`, `Name::new`.
   */
  static List<Occurrence> find(
      World world, World.Unit unit, String name, boolean withConstructors) {
    if (!unit.source.holds(name)) return List.of();
    world.attribute(unit);
    OccurrenceFinder finder = new OccurrenceFinder(world, unit, name, withConstructors);
    finder.scan(new TreePath(unit.tree), null);
    return finder.found;
  }

  private void add(int begin, int length, List<Element> elements, boolean isDeclaration) {
    found.add(
        new Occurrence(
            unit, begin, begin + length, elements, getCurrentPath(), isDeclaration, false));
  }

  private void addUse(int begin, TreePath path) {
    // What the compiler has added stands at places that hold something else.
    if (!unit.source.isWordAt(begin, name)) return;
    add(begin, name.length(), known(world.trees.getElement(path)), false);
  }

  private static List<Element> known(Element element) {
    boolean isKnown = element != null && element.asType().getKind() != TypeKind.ERROR;
    return isKnown ? List.of(element) : List.of();
  }

  private void addDeclaration() {
    TreePath path = getCurrentPath();
    Element element = world.trees.getElement(path);
    if (element == null || !Positions.nameOf(element).equals(name)) return;
    int begin = world.positions.nameBegin(unit, path, element);
    if (begin >= 0) add(begin, name.length(), List.of(element), true);
  }

  private void addDocs() {
    TreePath path = getCurrentPath();
    String text = world.trees.getDocComment(path);
    if (text == null || !text.contains(name)) return;
    DocCommentTree comment = world.trees.getDocCommentTree(path);
    if (comment != null) new DocFinder(world, unit, name, path, comment, found).find();
  }

  @Override
  public Void visitCompilationUnit(CompilationUnitTree tree, Void nothing) {
    if (unit.source.path.endsWith("package-info.java")) addDocs();
    scan(tree.getPackage() == null ? null : tree.getPackage().getAnnotations(), null);
    scan(tree.getImports(), null);
    scan(tree.getTypeDecls(), null);
    return null;
  }

  @Override
  public Void visitImport(ImportTree tree, Void nothing) {
    if (!tree.isStatic() || !(tree.getQualifiedIdentifier() instanceof MemberSelectTree)) {
      return super.visitImport(tree, nothing);
    }
    TreePath path = new TreePath(getCurrentPath(), tree.getQualifiedIdentifier());
    MemberSelectTree select = (MemberSelectTree) tree.getQualifiedIdentifier();
    TreePath typePath = new TreePath(path, select.getExpression());
    int begin = world.positions.end(unit, select) - name.length();
    if (select.getIdentifier().contentEquals(name) && unit.source.isWordAt(begin, name)) {
      add(begin, name.length(), importedFrom(world.trees.getElement(typePath)), false);
    }
    scan(typePath, null);
    return null;
  }

  /** All static members of the name: the import is of all of them. */
  private List<Element> importedFrom(Element type) {
    List<Element> members = new ArrayList<>();
    if (!(type instanceof TypeElement) || type.asType().getKind() == TypeKind.ERROR) return members;
    for (TypeElement base : world.supertypesOf((TypeElement) type)) {
      for (Element member : base.getEnclosedElements()) {
        boolean isNamed = member.getSimpleName().contentEquals(name);
        if (isNamed && member.getModifiers().contains(Modifier.STATIC)) members.add(member);
      }
    }
    return members;
  }

  @Override
  public Void visitIdentifier(IdentifierTree tree, Void nothing) {
    if (tree.getName().contentEquals(name)) {
      addUse(world.positions.begin(unit, tree), getCurrentPath());
    }
    return null;
  }

  @Override
  public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
    if (tree.getIdentifier().contentEquals(name)) {
      addUse(world.positions.end(unit, tree) - name.length(), getCurrentPath());
    }
    return super.visitMemberSelect(tree, nothing);
  }

  @Override
  public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
    int end = world.positions.end(unit, tree);
    if (tree.getMode() == MemberReferenceTree.ReferenceMode.NEW) {
      if (withConstructors) addCall(end - "new".length(), "new", getCurrentPath());
    } else if (tree.getName().contentEquals(name)) {
      addUse(end - name.length(), getCurrentPath());
    }
    return super.visitMemberReference(tree, nothing);
  }

  private void addCall(int begin, String word, TreePath constructor) {
    if (constructor == null || !unit.source.isWordAt(begin, word)) return;
    Element element = world.trees.getElement(constructor);
    if (element != null && Kinds.isConstructor(element)) {
      add(begin, word.length(), List.of(declared((ExecutableElement) element)), false);
    }
  }

  /** For `new Name<>()` the compiler makes a constructor of its own. */
  private Element declared(ExecutableElement constructor) {
    if (world.isWritten(constructor)) return constructor;
    for (Element member : constructor.getEnclosingElement().getEnclosedElements()) {
      boolean isIt =
          Kinds.isConstructor(member)
              && world.haveSameParameters((ExecutableElement) member, constructor);
      if (isIt) return member;
    }
    return constructor;
  }

  @Override
  public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
    if (withConstructors) {
      ExpressionTree select = tree.getMethodSelect();
      for (String word : new String[] {"this", "super"}) {
        TreePath path = new TreePath(getCurrentPath(), select);
        if (select instanceof IdentifierTree
            && ((IdentifierTree) select).getName().contentEquals(word)) {
          addCall(world.positions.begin(unit, select), word, path);
        } else if (select instanceof MemberSelectTree
            && ((MemberSelectTree) select).getIdentifier().contentEquals(word)) {
          addCall(world.positions.end(unit, select) - word.length(), word, path);
        }
      }
    }
    return super.visitMethodInvocation(tree, nothing);
  }

  @Override
  public Void visitNewClass(NewClassTree tree, Void nothing) {
    if (withConstructors) {
      int end = world.positions.end(unit, typeName(tree.getIdentifier()));
      int begin = end < 0 ? -1 : unit.source.wordBegin(end);
      if (begin >= 0 && begin < end) {
        addCall(begin, unit.source.text.substring(begin, end), constructorOf(getCurrentPath()));
      }
    }
    return super.visitNewClass(tree, nothing);
  }

  /** Of `pkg.Name<T>` the part that names the class. */
  static Tree typeName(Tree type) {
    while (true) {
      if (type instanceof ParameterizedTypeTree) {
        type = ((ParameterizedTypeTree) type).getType();
      } else if (type instanceof AnnotatedTypeTree) {
        type = ((AnnotatedTypeTree) type).getUnderlyingType();
      } else {
        return type;
      }
    }
  }

  /** What names the constructor that `new` calls; of an anonymous class that of its base. */
  static TreePath constructorOf(TreePath path) {
    ClassTree body = ((NewClassTree) path.getLeaf()).getClassBody();
    if (body == null) return path;
    TreePath classPath = new TreePath(path, body);
    for (Tree member : body.getMembers()) {
      if (!(member instanceof MethodTree) || ((MethodTree) member).getReturnType() != null) continue;
      MethodTree constructor = (MethodTree) member;
      if (constructor.getBody() == null || !constructor.getName().contentEquals("<init>")) continue;
      for (StatementTree statement : constructor.getBody().getStatements()) {
        if (!(statement instanceof ExpressionStatementTree)) continue;
        ExpressionTree call = ((ExpressionStatementTree) statement).getExpression();
        if (!(call instanceof MethodInvocationTree)) continue;
        TreePath method = new TreePath(classPath, constructor);
        TreePath callPath =
            new TreePath(
                new TreePath(new TreePath(method, constructor.getBody()), statement), call);
        return new TreePath(callPath, ((MethodInvocationTree) call).getMethodSelect());
      }
    }
    return null;
  }

  @Override
  public Void visitClass(ClassTree tree, Void nothing) {
    if (tree.getSimpleName().length() > 0) addDeclaration();
    addDocs();
    return super.visitClass(tree, nothing);
  }

  @Override
  public Void visitMethod(MethodTree tree, Void nothing) {
    Element element = world.trees.getElement(getCurrentPath());
    // What the compiler has added holds no name.
    if (element == null || !world.positions.isWritten(unit, getCurrentPath(), element)) return null;
    addDeclaration();
    addDocs();
    return super.visitMethod(tree, nothing);
  }

  @Override
  public Void visitVariable(VariableTree tree, Void nothing) {
    addDeclaration();
    addDocs();
    Element element = world.trees.getElement(getCurrentPath());
    if (element != null && element.getKind() == ElementKind.ENUM_CONSTANT) {
      visitConstant(tree, element);
      return null;
    }
    return super.visitVariable(tree, nothing);
  }

  /** The compiler's tree says `A = new Enum(…) {…}`, of which the text holds only a part. */
  private void visitConstant(VariableTree tree, Element element) {
    scan(tree.getModifiers(), null);
    if (!(tree.getInitializer() instanceof NewClassTree)) return;
    NewClassTree call = (NewClassTree) tree.getInitializer();
    TreePath path = new TreePath(getCurrentPath(), call);
    if (withConstructors) {
      String constant = element.getSimpleName().toString();
      addCall(world.positions.nameBegin(unit, getCurrentPath(), element), constant,
          constructorOf(path));
    }
    for (ExpressionTree argument : call.getArguments()) scan(new TreePath(path, argument), null);
    if (call.getClassBody() == null) return;
    TreePath body = new TreePath(path, call.getClassBody());
    for (Tree member : call.getClassBody().getMembers()) scan(new TreePath(body, member), null);
  }

  @Override
  public Void visitTypeParameter(TypeParameterTree tree, Void nothing) {
    addDeclaration();
    return super.visitTypeParameter(tree, nothing);
  }
}

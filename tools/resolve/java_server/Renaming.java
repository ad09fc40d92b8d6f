import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;

/** What has to change so that a symbol gets another name, or why it cannot have it. */
final class Renaming {
  private final Project project;
  private final References references;
  private final String newName;
  private final Map<String, Map<String, Object>> edits = new LinkedHashMap<>();

  Renaming(Project project, References references, String newName) {
    this.project = project;
    this.references = references;
    this.newName = newName;
    if (!SourceVersion.isIdentifier(newName)) throw new Refusal(newName + " is no name in Java");
    if (SourceVersion.isKeyword(newName)) throw new Refusal(newName + " is a word of Java itself");
  }

  /** A WorkspaceEdit. */
  Map<String, Object> edits(List<References.Found> found) {
    if (found.isEmpty()) throw new Refusal("no symbol stands there");
    for (References.Found part : found) {
      check(part.symbol);
      for (Occurrence place : part.places) add(part.symbol, place);
    }
    Map<String, Object> changes = new LinkedHashMap<>();
    for (Map<String, Object> edit : edits.values()) {
      String uri = (String) edit.remove("uri");
      @SuppressWarnings("unchecked")
      List<Object> ofFile = (List<Object>) changes.computeIfAbsent(uri, u -> new ArrayList<>());
      ofFile.add(edit);
    }
    return Json.map("changes", changes);
  }

  private void add(Symbol symbol, Occurrence place) {
    String text = newName;
    Element other = null;
    for (Element element : place.elements) {
      if (!symbol.elements.contains(element)) other = element;
    }
    if (other != null) {
      // A static import of other members of the name as well: they keep an import of their own.
      String owner = ((TypeElement) other.getEnclosingElement()).getQualifiedName().toString();
      text = newName + ";\nimport static " + owner + "." + symbol.name;
    }
    Map<String, Object> edit = References.location(place);
    edit.put("newText", text);
    edits.putIfAbsent(edit.get("uri") + ":" + place.begin, edit);
    if (symbol.element.getKind().isField() && !place.isDeclaration && !place.isDoc) {
      checkNotHidden(place);
    }
  }

  private static String describe(Element element) {
    Element owner = element.getEnclosingElement();
    String name = Positions.nameOf(element);
    boolean isMember = owner != null && Kinds.isType(owner);
    return isMember ? ((TypeElement) owner).getQualifiedName() + "." + name : name;
  }

  private void check(Symbol symbol) {
    World world = symbol.world;
    if (!world.isOfProject(symbol.element)) {
      throw new Refusal(describe(symbol.element) + " is declared by a library");
    }
    if (world.declarationOf(symbol.element) == null) {
      throw new Refusal(describe(symbol.element) + " is declared by the language");
    }
    for (Element element : symbol.elements) {
      if (!world.isOfProject(element)) {
        throw new Refusal(
            describe(symbol.element)
                + " overrides or implements "
                + describe(element)
                + ", which a library declares");
      }
      requireOwn(world, element);
      if (Kinds.isMethod(element)) checkMethod(world, (ExecutableElement) element);
    }
    if (newName.equals(symbol.name)) return;
    for (Element element : symbol.elements) checkFree(world, symbol, element);
    if (symbol.isLocal()) checkCaptures(symbol);
  }

  /** Declarations in generated code cannot be changed. */
  private void requireOwn(World world, Element element) {
    World.Declaration declaration = world.declarationOf(element);
    if (declaration == null || project.isOwn(declaration.unit.source.path)) return;
    throw new Refusal(
        describe(element)
            + " is declared in generated code, "
            + project.display(declaration.unit.source.path));
  }

  private void checkMethod(World world, ExecutableElement method) {
    Set<Modifier> modifiers = method.getModifiers();
    if (modifiers.contains(Modifier.STATIC) || modifiers.contains(Modifier.PRIVATE)) return;
    TypeElement owner = (TypeElement) method.getEnclosingElement();
    String missing = world.missingBaseOf(owner);
    if (missing == null) return;
    boolean isOverride =
        method.getAnnotationMirrors().stream()
            .anyMatch(a -> a.getAnnotationType().toString().equals("java.lang.Override"));
    if (isOverride && world.overriddenBy(method).isEmpty()) {
      throw new Refusal(
          describe(method) + " overrides what only " + missing + " can declare, which is not found");
    }
    references.reasons.add(
        missing + ", a base of " + owner.getSimpleName() + ", is not found: it may declare the name");
  }

  /** Refuses where the new name is taken. */
  private void checkFree(World world, Symbol symbol, Element element) {
    Element owner = element.getEnclosingElement();
    if (!(owner instanceof TypeElement)) return;
    boolean isType = Kinds.isType(element);
    Set<TypeElement> related = new HashSet<>();
    related.add((TypeElement) owner);
    if (Kinds.isMethod(element)) {
      related.addAll(world.supertypesOf((TypeElement) owner));
      for (TypeElement type : world.classes) {
        if (world.supertypesOf(type).contains(owner)) related.add(type);
      }
    }
    for (TypeElement type : related) {
      for (Element member : type.getEnclosedElements()) {
        if (!member.getSimpleName().contentEquals(newName)) continue;
        if (symbol.elements.contains(member)) continue;
        boolean isTaken =
            isType
                ? Kinds.isType(member)
                : Kinds.isMethod(element)
                    ? Kinds.isMethod(member) && world.haveSameParameters(
                            (ExecutableElement) element, (ExecutableElement) member)
                    : member.getKind().isField() && element.getKind().isField();
        if (isTaken && isVisible(type, member, (TypeElement) owner)) {
          throw new Refusal(
              type.getQualifiedName() + " declares " + newName + " already" + linesOf(world, member));
        }
      }
    }
  }

  private static boolean isVisible(TypeElement type, Element member, TypeElement owner) {
    return type == owner || !member.getModifiers().contains(Modifier.PRIVATE);
  }

  private String linesOf(World world, Element element) {
    World.Declaration declaration = world.declarationOf(element);
    if (declaration == null) return "";
    int begin = world.positions.begin(declaration.unit, declaration.path.getLeaf());
    if (begin < 0) return "";
    return " ("
        + project.display(declaration.unit.source.path)
        + ":"
        + (declaration.unit.source.lineOf(begin) + 1)
        + ")";
  }

  /** A local must not take over what uses of a field mean. */
  private void checkCaptures(Symbol symbol) {
    World.Declaration declaration = symbol.world.declarationOf(symbol.element);
    if (declaration == null) return;
    TreePath scope = declaration.path.getParentPath();
    Tree block = scope.getLeaf();
    for (Occurrence place :
        OccurrenceFinder.find(symbol.world, declaration.unit, newName, false)) {
      boolean isField =
          !place.isDoc
              && !place.isDeclaration
              && !place.isUnknown()
              && place.elements.get(0).getKind().isField()
              && place.path.getLeaf() instanceof IdentifierTree;
      if (!isField || !isWithin(place.path, block)) continue;
      boolean isBehind =
          place.begin > symbol.world.positions.begin(declaration.unit, declaration.path.getLeaf());
      if (isBehind) {
        throw new Refusal(
            newName
                + " means the field "
                + describe(place.elements.get(0))
                + " in line "
                + (place.line() + 1)
                + ", and would mean the renamed variable");
      }
    }
  }

  private static boolean isWithin(TreePath path, Tree around) {
    for (TreePath at = path; at != null; at = at.getParentPath()) {
      if (at.getLeaf() == around) return true;
    }
    return false;
  }

  /** A field that is named alone must not mean a local of the new name afterwards. */
  private void checkNotHidden(Occurrence place) {
    if (!(place.path.getLeaf() instanceof IdentifierTree)) return;
    Tree below = place.path.getLeaf();
    for (TreePath at = place.path.getParentPath(); at != null; at = at.getParentPath()) {
      for (Tree local : localsOf(at.getLeaf(), below)) {
        if (!(local instanceof VariableTree)) continue;
        if (!((VariableTree) local).getName().contentEquals(newName)) continue;
        throw new Refusal(
            "in line "
                + (place.line() + 1)
                + " of "
                + project.display(place.unit.source.path)
                + ", "
                + newName
                + " means a local variable");
      }
      if (at.getLeaf() instanceof ClassTree) return;
      below = at.getLeaf();
    }
  }

  private static List<Tree> localsOf(Tree tree, Tree below) {
    List<Tree> locals = new ArrayList<>();
    if (tree instanceof BlockTree) {
      for (Tree statement : ((BlockTree) tree).getStatements()) {
        if (statement == below) break;
        locals.add(statement);
      }
    } else if (tree instanceof MethodTree) {
      locals.addAll(((MethodTree) tree).getParameters());
    } else if (tree instanceof LambdaExpressionTree) {
      locals.addAll(((LambdaExpressionTree) tree).getParameters());
    } else if (tree instanceof ForLoopTree) {
      locals.addAll(((ForLoopTree) tree).getInitializer());
    } else if (tree instanceof EnhancedForLoopTree) {
      locals.add(((EnhancedForLoopTree) tree).getVariable());
    } else if (tree instanceof TryTree && ((TryTree) tree).getBlock() == below) {
      locals.addAll(((TryTree) tree).getResources());
    } else if (tree instanceof CatchTree) {
      locals.add(((CatchTree) tree).getParameter());
    }
    return locals;
  }
}

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;

/** Who calls what, and which types are above and below others. */
final class Hierarchy {
  private static final int CLASS = 5;
  private static final int METHOD = 6;
  private static final int FIELD = 8;
  private static final int CONSTRUCTOR = 9;
  private static final int ENUM = 10;
  private static final int INTERFACE = 11;

  private final Project project;

  Hierarchy(Project project) {
    this.project = project;
  }

  static Place placeOf(Object item) {
    return new Place(
        JavaServer.path(Json.string(item, "uri")),
        Json.integer(item, "selectionRange", "start", "line"),
        Json.integer(item, "selectionRange", "start", "character"));
  }

  List<Object> prepare(Place place, boolean ofTypes) throws IOException {
    List<Object> items = new ArrayList<>();
    Project.View view = project.home(place.path);
    Occurrence at = Navigation.at(view, place);
    if (at == null) return items;
    for (Element element : at.elements) {
      if (ofTypes == Kinds.isType(element)) add(view.world, element, items);
    }
    return items;
  }

  private static void add(World world, Element element, List<Object> items) {
    Map<String, Object> item = itemOf(world, element);
    if (item != null) items.add(item);
  }

  private static int kindOf(Element element) {
    if (Kinds.isMethod(element)) return METHOD;
    if (Kinds.isConstructor(element)) return CONSTRUCTOR;
    if (element.getKind() == ElementKind.ENUM) return ENUM;
    if (element.getKind().isInterface()) return INTERFACE;
    return Kinds.isType(element) ? CLASS : FIELD;
  }

  /** Null for what is not of the project. */
  private static Map<String, Object> itemOf(World world, Element element) {
    World.Declaration declaration = world.declarationOf(element);
    Map<String, Object> location = Navigation.locationOf(world, element);
    if (location == null) return null;
    Tree tree = declaration.path.getLeaf();
    int begin = world.positions.begin(declaration.unit, tree);
    int end = world.positions.end(declaration.unit, tree);
    return Json.map(
        "name", Positions.nameOf(element),
        "kind", kindOf(element),
        "detail", Signature.of(element),
        "uri", location.get("uri"),
        "range", declaration.unit.source.range(begin, end),
        "selectionRange", location.get("range"));
  }

  /** The method, constructor, field or type around a place. */
  private static Element around(World world, TreePath path) {
    for (TreePath at = path.getParentPath(); at != null; at = at.getParentPath()) {
      Tree tree = at.getLeaf();
      boolean isField =
          tree instanceof VariableTree && at.getParentPath().getLeaf() instanceof ClassTree;
      if (!isField && !(tree instanceof MethodTree) && !(tree instanceof ClassTree)) continue;
      Element element = world.trees.getElement(at);
      if (element != null && world.declarationOf(element) != null) return element;
    }
    return null;
  }

  private static boolean isCall(Occurrence place) {
    if (place.isDoc || place.isDeclaration) return false;
    Tree tree = place.path.getLeaf();
    if (tree instanceof MemberReferenceTree) return true;
    if (tree instanceof NewClassTree || tree instanceof MethodInvocationTree) return true;
    Tree parent = place.path.getParentPath().getLeaf();
    return parent instanceof MethodInvocationTree
        && ((MethodInvocationTree) parent).getMethodSelect() == tree;
  }

  List<Object> incoming(Place place, References references) throws IOException {
    Map<Element, List<Object>> calls = new LinkedHashMap<>();
    Map<Element, World> worlds = new LinkedHashMap<>();
    for (References.Found found : references.find(place, Symbol.Reach.CALLS)) {
      World world = found.symbol.world;
      for (Occurrence occurrence : found.places) {
        if (!isCall(occurrence) && !found.symbol.isConstructor) continue;
        Element caller = occurrence.isDeclaration ? null : around(world, occurrence.path);
        if (caller == null) continue;
        worlds.put(caller, world);
        calls
            .computeIfAbsent(caller, c -> new ArrayList<>())
            .add(occurrence.unit.source.range(occurrence.begin, occurrence.end));
      }
    }
    List<Object> answer = new ArrayList<>();
    calls.forEach(
        (caller, ranges) ->
            answer.add(
                Json.map("from", itemOf(worlds.get(caller), caller), "fromRanges", ranges)));
    return answer;
  }

  List<Object> outgoing(Place place) throws IOException {
    List<Object> answer = new ArrayList<>();
    Project.View view = project.home(place.path);
    Occurrence at = Navigation.at(view, place);
    if (at == null) return answer;
    World world = view.world;
    World.Declaration declaration = world.declarationOf(at.elements.get(0));
    if (declaration == null) return answer;
    Map<Element, List<Object>> calls = new LinkedHashMap<>();
    new TreePathScanner<Void, Void>() {
      private void note(Element callee, Tree named) {
        int end = world.positions.end(declaration.unit, named);
        if (callee == null || end < 0 || world.declarationOf(callee) == null) return;
        int begin = declaration.unit.source.wordBegin(end);
        calls
            .computeIfAbsent(callee, c -> new ArrayList<>())
            .add(declaration.unit.source.range(begin, end));
      }

      @Override
      public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
        Tree select = tree.getMethodSelect();
        note(world.trees.getElement(new TreePath(getCurrentPath(), select)), select);
        return super.visitMethodInvocation(tree, nothing);
      }

      @Override
      public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
        note(world.trees.getElement(getCurrentPath()), tree);
        return super.visitMemberReference(tree, nothing);
      }

      @Override
      public Void visitNewClass(NewClassTree tree, Void nothing) {
        Tree name = OccurrenceFinder.typeName(tree.getIdentifier());
        TreePath constructor = OccurrenceFinder.constructorOf(getCurrentPath());
        note(constructor == null ? null : world.trees.getElement(constructor), name);
        return super.visitNewClass(tree, nothing);
      }
    }.scan(declaration.path, null);
    calls.forEach(
        (callee, ranges) ->
            answer.add(Json.map("to", itemOf(world, callee), "fromRanges", ranges)));
    return answer;
  }

  List<Object> supertypes(Place place) throws IOException {
    List<Object> items = new ArrayList<>();
    Project.View view = project.home(place.path);
    Occurrence at = Navigation.at(view, place);
    if (at == null || !Kinds.isType(at.elements.get(0))) return items;
    for (TypeMirror base : view.world.types.directSupertypes(at.elements.get(0).asType())) {
      Element element = view.world.types.asElement(base);
      if (element != null) add(view.world, element, items);
    }
    return items;
  }

  List<Object> subtypes(Place place) throws IOException {
    List<Object> items = new ArrayList<>();
    Project.View view = project.home(place.path);
    Occurrence at = Navigation.at(view, place);
    if (at == null || !Kinds.isType(at.elements.get(0))) return items;
    for (TypeElement type : view.world.directSubtypesOf((TypeElement) at.elements.get(0))) {
      add(view.world, type, items);
    }
    return items;
  }
}

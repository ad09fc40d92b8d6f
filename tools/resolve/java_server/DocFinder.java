import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReferenceTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTreePath;
import com.sun.source.util.DocTreePathScanner;
import com.sun.source.util.TreePath;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Parameterizable;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Finds the places of a doc comment that hold a name, and what they mean. */
final class DocFinder extends DocTreePathScanner<Void, Void> {
  private static final Pattern WORD = Pattern.compile("[\\p{javaJavaIdentifierPart}]+");
  private static final Pattern TYPE = Pattern.compile("[\\p{javaJavaIdentifierPart}.]+");

  private final World world;
  private final World.Unit unit;
  private final String name;
  private final TreePath owner;
  private final DocCommentTree comment;
  private final List<Occurrence> found;

  DocFinder(
      World world,
      World.Unit unit,
      String name,
      TreePath owner,
      DocCommentTree comment,
      List<Occurrence> found) {
    this.world = world;
    this.unit = unit;
    this.name = name;
    this.owner = owner;
    this.comment = comment;
    this.found = found;
  }

  void find() {
    scan(new DocTreePath(owner, comment), null);
  }

  private void add(int begin, Element element) {
    if (!unit.source.isWordAt(begin, name)) return;
    boolean isKnown = element != null && element.asType().getKind() != TypeKind.ERROR;
    List<Element> elements = isKnown ? List.of(element) : List.of();
    found.add(
        new Occurrence(unit, begin, begin + name.length(), elements, owner, false, true));
  }

  @Override
  public Void visitParam(ParamTree tree, Void nothing) {
    if (tree.getName().getName().contentEquals(name)) {
      int begin =
          (int)
              world.trees.getSourcePositions().getStartPosition(unit.tree, comment, tree.getName());
      Element element = parameter(world.trees.getElement(owner), tree.isTypeParameter());
      if (element != null) add(begin, element);
    }
    return super.visitParam(tree, nothing);
  }

  private Element parameter(Element documented, boolean isType) {
    List<Element> candidates = new ArrayList<>();
    if (documented instanceof Parameterizable && isType) {
      candidates.addAll(((Parameterizable) documented).getTypeParameters());
    } else if (documented instanceof ExecutableElement) {
      candidates.addAll(((ExecutableElement) documented).getParameters());
    } else if (Kinds.isRecord(documented)) {
      for (Element member : documented.getEnclosedElements()) {
        if (Kinds.isComponent(member)) candidates.add(member);
      }
    }
    for (Element candidate : candidates) {
      if (candidate.getSimpleName().contentEquals(name)) return candidate;
    }
    return null;
  }

  @Override
  public Void visitReference(ReferenceTree tree, Void nothing) {
    String signature = tree.getSignature();
    int begin = (int) world.trees.getSourcePositions().getStartPosition(unit.tree, comment, tree);
    boolean isHere = begin >= 0 && unit.source.text.startsWith(signature, begin);
    if (!isHere || !signature.contains(name)) return super.visitReference(tree, nothing);
    Element element = world.trees.getElement(getCurrentPath());
    int hash = signature.indexOf('#');
    int open = signature.indexOf('(');
    int typeBegin = signature.indexOf('/') + 1;  // behind a module
    int typeEnd = hash >= 0 ? hash : open >= 0 ? open : signature.length();
    if (typeBegin < typeEnd) addTypes(signature, begin, typeBegin, typeEnd);
    if (hash >= 0) {
      int memberEnd = open >= 0 ? open : signature.length();
      String member = signature.substring(hash + 1, memberEnd).trim();
      if (member.equals(name)) add(begin + signature.indexOf(name, hash), element);
    }
    if (open >= 0) addParameters(signature, begin, open, element);
    return super.visitReference(tree, nothing);
  }

  /** Each segment of a qualified name is looked up with those before it. */
  private void addTypes(String signature, int begin, int from, int end) {
    Matcher word = WORD.matcher(signature).region(from, end);
    while (word.find()) {
      if (!word.group().equals(name)) continue;
      Element type = typeOf(signature.substring(from, word.end()).trim());
      // It may be a part of the name of a package.
      boolean isLast = word.end() == end;
      if (type != null || isLast) add(begin + word.start(), type);
    }
  }

  private void addParameters(String signature, int begin, int open, Element element) {
    if (!(element instanceof ExecutableElement)) return;
    List<? extends Element> parameters = ((ExecutableElement) element).getParameters();
    int at = open + 1;
    for (Element parameter : parameters) {
      Matcher type = TYPE.matcher(signature);
      if (!type.find(at)) return;
      TypeMirror mirror = parameter.asType();
      while (mirror.getKind() == TypeKind.ARRAY) mirror = ((ArrayType) mirror).getComponentType();
      Element named = world.types.asElement(world.types.erasure(mirror));
      // From the last segment on outwards: the class, and those around it.
      int segmentEnd = type.end();
      while (named != null && segmentEnd > type.start()) {
        int segment = Math.max(signature.lastIndexOf('.', segmentEnd - 1) + 1, type.start());
        boolean isIt =
            signature.substring(segment, segmentEnd).equals(name)
                && named.getSimpleName().contentEquals(name);
        if (isIt) add(begin + segment, named);
        named = named.getEnclosingElement();
        segmentEnd = segment - 1;
      }
      int comma = signature.indexOf(',', type.end());
      if (comma < 0) return;
      at = comma + 1;
    }
  }

  private TypeElement typeOf(String dotted) {
    int dot = dotted.lastIndexOf('.');
    if (dot < 0) return simpleType(dotted);
    TypeElement outer = typeOf(dotted.substring(0, dot));
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

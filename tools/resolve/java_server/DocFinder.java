import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReferenceTree;
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
  private final TypeNames types;

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
    types = new TypeNames(world, unit, owner);
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
      Element type = types.find(signature.substring(from, word.end()).trim());
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
}

import com.sun.source.util.TreePath;
import java.util.List;
import javax.lang.model.element.Element;

/** A place that holds a name. */
final class Occurrence {
  final World.Unit unit;
  final int begin;
  final int end;
  /** What is named there; several where a static import names several; none: it is not found. */
  final List<Element> elements;
  final TreePath path;
  final boolean isDeclaration;
  final boolean isDoc;

  Occurrence(
      World.Unit unit,
      int begin,
      int end,
      List<Element> elements,
      TreePath path,
      boolean isDeclaration,
      boolean isDoc) {
    this.unit = unit;
    this.begin = begin;
    this.end = end;
    this.elements = elements;
    this.path = path;
    this.isDeclaration = isDeclaration;
    this.isDoc = isDoc;
  }

  boolean isUnknown() {
    return elements.isEmpty();
  }

  int line() {
    return unit.source.lineOf(begin);
  }
}

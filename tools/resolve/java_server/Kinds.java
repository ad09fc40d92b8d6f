import java.util.EnumSet;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;

/** Kinds of elements. Those that JDK 11 does not have are compared by name. */
final class Kinds {
  private static final Set<ElementKind> LOCAL =
      EnumSet.of(
          ElementKind.LOCAL_VARIABLE,
          ElementKind.EXCEPTION_PARAMETER,
          ElementKind.RESOURCE_VARIABLE,
          ElementKind.PARAMETER);

  private Kinds() {}

  static boolean isRecord(Element element) {
    return element != null && element.getKind().name().equals("RECORD");
  }

  static boolean isComponent(Element element) {
    return element.getKind().name().equals("RECORD_COMPONENT");
  }

  /** Whether it may be a component, a component's field, or its accessor. */
  static boolean isRecordMember(Element element) {
    return isRecord(element.getEnclosingElement());
  }

  static boolean isLocal(Element element) {
    return LOCAL.contains(element.getKind()) || element.getKind().name().equals("BINDING_VARIABLE");
  }

  static boolean isType(Element element) {
    return element.getKind().isClass() || element.getKind().isInterface();
  }

  static boolean isMethod(Element element) {
    return element.getKind() == ElementKind.METHOD;
  }

  static boolean isConstructor(Element element) {
    return element.getKind() == ElementKind.CONSTRUCTOR;
  }
}

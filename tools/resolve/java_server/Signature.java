import java.util.List;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Declarations as Java writes them, without bodies. */
final class Signature {
  private Signature() {}

  static String of(Element element) {
    StringBuilder text = new StringBuilder();
    for (Modifier modifier : element.getModifiers()) text.append(modifier).append(' ');
    if (element instanceof TypeElement) {
      appendType((TypeElement) element, text);
    } else if (element instanceof ExecutableElement) {
      appendMethod((ExecutableElement) element, text);
    } else if (element instanceof TypeParameterElement) {
      text.append(parameter((TypeParameterElement) element));
    } else {
      text.append(simple(element.asType().toString())).append(' ').append(element.getSimpleName());
    }
    return text.toString();
  }

  private static void appendType(TypeElement type, StringBuilder text) {
    ElementKind kind = type.getKind();
    String word = kind.name().toLowerCase(java.util.Locale.ROOT);
    text.append(kind == ElementKind.ANNOTATION_TYPE ? "@interface" : word).append(' ');
    text.append(type.getQualifiedName());
    appendParameters(type.getTypeParameters(), text, "");
    TypeMirror base = type.getSuperclass();
    boolean isShown = kind == ElementKind.CLASS && base.getKind() != TypeKind.NONE;
    if (isShown && !base.toString().equals("java.lang.Object")) {
      text.append(" extends ").append(simple(base.toString()));
    }
    if (type.getInterfaces().isEmpty()) return;
    text.append(kind.isInterface() ? " extends " : " implements ");
    text.append(
        type.getInterfaces().stream()
            .map(above -> simple(above.toString()))
            .collect(Collectors.joining(", ")));
  }

  private static void appendParameters(
      List<? extends TypeParameterElement> parameters, StringBuilder text, String behind) {
    if (parameters.isEmpty()) return;
    String list = parameters.stream().map(Signature::parameter).collect(Collectors.joining(", "));
    text.append('<').append(list).append('>').append(behind);
  }

  private static String parameter(TypeParameterElement parameter) {
    String bounds =
        parameter.getBounds().stream()
            .map(TypeMirror::toString)
            .filter(bound -> !bound.equals("java.lang.Object"))
            .map(Signature::simple)
            .collect(Collectors.joining(" & "));
    return parameter.getSimpleName() + (bounds.isEmpty() ? "" : " extends " + bounds);
  }

  private static void appendMethod(ExecutableElement method, StringBuilder text) {
    appendParameters(method.getTypeParameters(), text, " ");
    if (!Kinds.isConstructor(method)) {
      text.append(simple(method.getReturnType().toString())).append(' ');
    }
    text.append(Positions.nameOf(method)).append('(');
    int last = method.getParameters().size() - 1;
    for (int i = 0; i <= last; i++) {
      String type = simple(method.getParameters().get(i).asType().toString());
      if (method.isVarArgs() && i == last) type = type.replaceFirst("\\[\\]$", "...");
      text.append(i > 0 ? ", " : "").append(type).append(' ');
      text.append(method.getParameters().get(i).getSimpleName());
    }
    text.append(')');
    if (method.getThrownTypes().isEmpty()) return;
    text.append(" throws ");
    text.append(
        method.getThrownTypes().stream()
            .map(type -> simple(type.toString()))
            .collect(Collectors.joining(", ")));
  }

  /** Without the names of packages. */
  private static String simple(String type) {
    return type.replaceAll("\\b(?:[a-z_][\\w$]*\\.)+(?=\\w)", "");
  }
}

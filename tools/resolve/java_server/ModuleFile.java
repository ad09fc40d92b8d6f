import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/**
 * A module-info.java. It is not analyzed with the code, all of which is read as one unnamed module,
 * and need not be: it names classes in full.
 */
final class ModuleFile {
  private ModuleFile() {}

  static List<Occurrence> find(SourceText source, Element element) throws IOException {
    List<Occurrence> found = new ArrayList<>();
    if (!(element instanceof TypeElement)) return found;
    String name = element.getSimpleName().toString();
    String qualified = ((TypeElement) element).getQualifiedName().toString();
    if (!source.holds(name)) return found;
    World world = new World(List.of(source), List.of());
    for (World.Unit unit : world.units.values()) {
      new TreePathScanner<Void, Void>() {
        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
          int begin = world.positions.end(unit, tree) - name.length();
          if (tree.toString().equals(qualified) && source.isWordAt(begin, name)) {
            TreePath path = getCurrentPath();
            found.add(
                new Occurrence(
                    unit, begin, begin + name.length(), List.of(element), path, false, false));
          }
          return super.visitMemberSelect(tree, nothing);
        }
      }.scan(new TreePath(unit.tree), null);
    }
    world.close();
    return found;
  }
}

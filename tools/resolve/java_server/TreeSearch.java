import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.function.Predicate;

/** Finds trees by where they stand. */
final class TreeSearch extends TreePathScanner<Void, Void> {
  private final World world;
  private final World.Unit unit;
  private final int offset;
  private final Predicate<Tree> isWanted;
  private TreePath found;

  private TreeSearch(World world, World.Unit unit, int offset, Predicate<Tree> isWanted) {
    this.world = world;
    this.unit = unit;
    this.offset = offset;
    this.isWanted = isWanted;
  }

  /** The innermost wanted tree around the character at an offset; null if there is none. */
  static TreePath innermost(
      World world, World.Unit unit, int offset, Predicate<Tree> isWanted) {
    TreeSearch search = new TreeSearch(world, unit, offset, isWanted);
    search.scan(new TreePath(unit.tree), null);
    return search.found;
  }

  @Override
  public Void scan(Tree tree, Void nothing) {
    if (tree == null) return null;
    int begin = world.positions.begin(unit, tree);
    int end = world.positions.end(unit, tree);
    boolean isAround = begin >= 0 && begin <= offset && offset < end;
    // What the compiler adds or makes of other trees may have parts outside.
    boolean isWhole = tree instanceof MethodTree && begin >= 0 && end > begin;
    if (isWhole && !isAround) return null;
    if (isAround && isWanted.test(tree)) found = new TreePath(getCurrentPath(), tree);
    return super.scan(tree, nothing);
  }
}

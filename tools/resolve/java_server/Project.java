import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The source files below a folder. Files that declare the same class, such as programs of their own
 * in one folder, are analyzed in different worlds.
 */
final class Project {
  private static final int MAX_WARM = 3;

  private final Path root;
  private final TreeSet<Path> files = new TreeSet<>();
  private final TreeSet<Path> moduleFiles = new TreeSet<>();
  private final Map<Path, SourceText> texts = new HashMap<>();
  private final Set<Path> open = new HashSet<>();
  private final Map<Path, String> unreadable = new TreeMap<>();
  private List<Part> parts;  // null: the files have to be read

  /** What is analyzed at once. */
  private static final class Part {
    final Set<Path> natives = new LinkedHashSet<>();  // belong to no other part
    final Set<Path> all = new LinkedHashSet<>();
    World world;  // null: not analyzed
  }

  /** A world, and for which of its files it speaks. */
  static final class View {
    final World world;
    private final Set<Path> natives;  // null: all

    View(World world, Set<Path> natives) {
      this.world = world;
      this.natives = natives;
    }

    List<World.Unit> units() {
      List<World.Unit> units = new ArrayList<>();
      for (World.Unit unit : world.units.values()) {
        if (natives == null || natives.contains(unit.source.path)) units.add(unit);
      }
      return units;
    }
  }

  Project(Path root, Collection<Path> files) {
    this.root = root;
    for (Path file : files) add(file);
  }

  private void add(Path path) {
    if (!path.toString().endsWith(".java") || !path.startsWith(root)) return;
    (path.endsWith("module-info.java") ? moduleFiles : files).add(path);
  }

  List<SourceText> moduleFiles() {
    return textsOf(moduleFiles);
  }

  Path root() {
    return root;
  }

  boolean isOwn(Path path) {
    return files.contains(path) || moduleFiles.contains(path);
  }

  String display(Path path) {
    return path.startsWith(root) ? root.relativize(path).toString() : path.toString();
  }

  void fileAdded(Path path) {
    add(path);
    fileChanged(path);
  }

  void fileChanged(Path path) {
    if (!open.contains(path)) texts.remove(path);
    forget();
  }

  void fileRemoved(Path path) {
    files.remove(path);
    moduleFiles.remove(path);
    texts.remove(path);
    open.remove(path);
    forget();
  }

  void opened(Path path, String text) {
    open.add(path);
    SourceText known = texts.get(path);
    if (known == null && parts == null) {
      texts.put(path, new SourceText(path, text, true));
    } else if (known == null || !known.text.equals(text)) {
      texts.put(path, new SourceText(path, text, true));
      forget();
    }
  }

  void closed(Path path) {
    if (open.remove(path)) fileChanged(path);
  }

  private void forget() {
    if (parts == null) return;
    for (Part part : parts) {
      if (part.world != null) part.world.close();
    }
    parts = null;
  }

  private SourceText textOf(Path path) {
    SourceText known = texts.get(path);
    if (known != null) return known;
    try {
      SourceText read = SourceText.read(path);
      texts.put(path, read);
      return read;
    } catch (IOException e) {
      unreadable.put(path, "cannot be read");
      return null;
    }
  }

  /** Files that no world has, with the reason. */
  Map<Path, String> unreadable() {
    return unreadable;
  }

  private List<SourceText> textsOf(Collection<Path> paths) {
    List<SourceText> found = new ArrayList<>();
    for (Path path : paths) {
      SourceText text = textOf(path);
      if (text != null) found.add(text);
    }
    return found;
  }

  private List<File> classPath = List.of();

  List<File> classPath() {
    return classPath;
  }

  private World parse(Collection<Path> paths) throws IOException {
    List<SourceText> sources = textsOf(paths);
    try {
      return new World(sources, classPath);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      // One of the files is more than the parser can do.
    }
    List<SourceText> good = new ArrayList<>();
    for (SourceText source : sources) {
      try {
        new World(List.of(source), List.of()).close();
        good.add(source);
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        unreadable.put(source.path, "is too complex for the compiler");
      }
    }
    return new World(good, classPath);
  }

  private void plan() throws IOException {
    if (parts != null) return;
    unreadable.clear();
    classPath = new ClassPath(root, files).jars();
    Set<Path> paths = new LinkedHashSet<>(files);
    paths.addAll(GeneratedSources.of(root, files));
    World all = parse(paths);
    Map<Path, Facts> facts = new LinkedHashMap<>();
    for (World.Unit unit : all.units.values()) {
      facts.put(unit.source.path, new Facts(unit.source.path, unit.tree));
    }
    Map<Path, Path> groups = Facts.conflictingGroups(facts);
    parts = new ArrayList<>();
    if (groups.isEmpty()) {
      Part part = new Part();
      part.all.addAll(facts.keySet());
      part.world = all;
      parts.add(part);
      return;
    }
    all.close();
    Map<Path, Part> byGroup = new LinkedHashMap<>();
    groups.forEach(
        (path, group) -> byGroup.computeIfAbsent(group, g -> new Part()).natives.add(path));
    for (Part part : byGroup.values()) {
      Set<String> declared = new HashSet<>();
      for (Path path : part.natives) declared.addAll(facts.get(path).types);
      part.all.addAll(part.natives);
      // First what has one meaning, then what this part does not declare itself.
      for (boolean isShared : new boolean[] {true, false}) {
        facts.forEach(
            (path, fact) -> {
              boolean isWanted = groups.containsKey(path) != isShared && !part.all.contains(path);
              if (!isWanted || fact.types.stream().anyMatch(declared::contains)) return;
              declared.addAll(fact.types);
              part.all.add(path);
            });
      }
      parts.add(part);
    }
  }

  private World worldOf(Part part) throws IOException {
    parts.remove(part);
    parts.add(part);
    if (part.world == null) part.world = parse(part.all);
    part.world.enter();
    return part.world;
  }

  /** Drops all but the last worlds that were used. No view of them may be in use. */
  void trim() {
    if (parts == null) return;
    int warm = 0;
    for (int i = parts.size() - 1; i >= 0; i--) {
      Part part = parts.get(i);
      if (part.world == null || ++warm <= MAX_WARM) continue;
      part.world.close();
      part.world = null;
    }
  }

  /** The world in which a file belongs first; null where there is no such file. */
  View home(Path path) throws IOException {
    plan();
    Part home = homeOf(path);
    if (home == null) return null;
    World world = worldOf(home);
    return new View(world, parts.size() == 1 ? null : Set.copyOf(ownedBy(home)));
  }

  private Part homeOf(Path path) {
    Part home = null;
    for (Part part : parts) {
      if (part.natives.contains(path)) return part;
      if (home == null && part.all.contains(path)) home = part;
    }
    return home;
  }

  private Set<Path> ownedBy(Part home) {
    Set<Path> owned = new LinkedHashSet<>(home.all);
    for (Part part : parts) {
      if (part != home) owned.removeAll(part.natives);
    }
    return owned;
  }

  /** Worlds beside the home of a file that see it, and have a file of their own with the name. */
  List<View> others(Path path, String name) throws IOException {
    plan();
    List<View> views = new ArrayList<>();
    Part home = homeOf(path);
    for (Part part : List.copyOf(parts)) {
      if (part == home || !part.all.contains(path)) continue;
      boolean isUser = textsOf(part.natives).stream().anyMatch(text -> text.holds(name));
      if (isUser) views.add(new View(worldOf(part), part.natives));
    }
    return views;
  }

  /** What a file declares, as far as it matters for which files are analyzed together. */
  private static final class Facts {
    final Set<String> types = new LinkedHashSet<>();
    final Path sourceRoot;  // the folder above the package; the file's folder if they do not agree

    Facts(Path path, CompilationUnitTree tree) {
      String pkg = tree.getPackageName() == null ? "" : tree.getPackageName().toString();
      for (Tree type : tree.getTypeDecls()) {
        if (!(type instanceof ClassTree)) continue;
        types.add((pkg.isEmpty() ? "" : pkg + ".") + ((ClassTree) type).getSimpleName());
      }
      Path folder = path.getParent();
      Path inRoot = Path.of(pkg.replace('.', '/'));
      if (!pkg.isEmpty() && folder.endsWith(inRoot)) {
        for (int i = inRoot.getNameCount(); i > 0 && folder.getParent() != null; i--) {
          folder = folder.getParent();
        }
      }
      sourceRoot = folder;
    }

    /** Of the files that cannot all be analyzed at once: the group of each, by source root. */
    static Map<Path, Path> conflictingGroups(Map<Path, Facts> facts) {
      Map<String, List<Path>> byType = new HashMap<>();
      facts.forEach(
          (path, fact) ->
              fact.types.forEach(
                  type -> byType.computeIfAbsent(type, t -> new ArrayList<>()).add(path)));
      Set<Path> roots = new HashSet<>();
      Set<Path> alone = new HashSet<>();
      for (List<Path> paths : byType.values()) {
        Set<Path> seen = new HashSet<>();
        Set<Path> twice = new HashSet<>();
        for (Path path : paths) {
          if (!seen.add(facts.get(path).sourceRoot)) twice.add(facts.get(path).sourceRoot);
        }
        if (seen.size() > 1) roots.addAll(seen);
        for (Path path : paths) {
          if (twice.contains(facts.get(path).sourceRoot)) alone.add(path);
        }
      }
      Map<Path, Path> groups = new LinkedHashMap<>();
      facts.forEach(
          (path, fact) -> {
            if (alone.contains(path)) {
              groups.put(path, path);
            } else if (roots.contains(fact.sourceRoot)) {
              groups.put(path, fact.sourceRoot);
            }
          });
      return groups;
    }
  }
}

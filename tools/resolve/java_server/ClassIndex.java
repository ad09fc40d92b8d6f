import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Classes of the JDK and of libraries by their simple names. */
final class ClassIndex {
  private static final Pattern COMMON =
      Pattern.compile("java\\.(util|io|nio|time|math|net|text)\\..*");
  private static final Pattern COMMENT = Pattern.compile("//.*|/\\*(?s:.*?)\\*/");
  private static final Pattern REQUIRED =
      Pattern.compile("\\brequires\\s+(?:(?:transitive|static)\\s+)*([\\w.]+)\\s*;");
  private static final int GROUP = 10;  // of ranks
  private static ClassIndex jdk;
  private static ClassIndex libraries;
  private static List<File> indexed;

  private static final class Entry {
    final String name;  // the binary name, with dots for packages
    final String module;  // "": none

    Entry(String name, String module) {
      this.name = name;
      this.module = module;
    }

    String qualified() {
      return name.replace('$', '.');
    }
  }

  private final Map<String, List<Entry>> entries = new HashMap<>();
  private final Set<String> packages = new TreeSet<>();

  private ClassIndex() {}

  private static synchronized List<ClassIndex> all(List<File> classPath) {
    if (jdk == null) jdk = ofJdk();
    if (!classPath.equals(indexed)) {
      libraries = ofJars(classPath);
      indexed = classPath;
    }
    return List.of(jdk, libraries);
  }

  /**
   * Qualified names, the most usual first. Nested classes and what the JDK has beside its standard
   * are rare: they are named only where nothing else that is wanted has the name.
   */
  static List<String> find(
      String simple,
      List<File> classPath,
      Set<String> modules,
      boolean withRare,
      Predicate<String> isWanted) {
    Map<Integer, Set<String>> byRank = new HashMap<>();
    for (ClassIndex index : all(classPath)) {
      for (Entry entry : index.entries.getOrDefault(simple, List.of())) {
        boolean isReadable =
            modules == null || entry.module.isEmpty() || modules.contains(entry.module);
        if (!isReadable) continue;
        byRank.computeIfAbsent(rank(entry), r -> new TreeSet<>()).add(entry.qualified());
      }
    }
    List<String> found = new ArrayList<>();
    int last = withRare ? 2 * GROUP : 0;
    for (int group = 0; group <= last && found.isEmpty(); group += GROUP) {
      for (int rank = group; rank < group + GROUP; rank++) {
        byRank.getOrDefault(rank, Set.of()).stream().filter(isWanted).forEach(found::add);
      }
    }
    return found;
  }

  private static int rank(Entry entry) {
    int group = entry.name.indexOf('$') >= 0 ? GROUP : 0;
    if (!entry.module.isEmpty() && !entry.name.startsWith("java")) group = 2 * GROUP;
    if (COMMON.matcher(entry.name).matches()) return group;
    return group + (entry.name.startsWith("java.") ? 1 : 2);
  }

  /** Names of the packages directly below a package. */
  static Set<String> packagesBelow(String name, List<File> classPath) {
    Set<String> found = new TreeSet<>();
    for (ClassIndex index : all(classPath)) addBelow(name, index.packages, found);
    return found;
  }

  static void addBelow(String name, Collection<String> packages, Set<String> found) {
    for (String candidate : packages) {
      if (!candidate.startsWith(name + ".")) continue;
      found.add(candidate.substring(name.length() + 1).split("\\.")[0]);
    }
  }

  private void add(String pkg, String file, String module) {
    String binary = file.substring(0, file.length() - ".class".length());
    String simple = binary.substring(binary.lastIndexOf('$') + 1);
    boolean isNamed = !simple.isEmpty() && Character.isJavaIdentifierStart(simple.charAt(0));
    if (!isNamed || simple.endsWith("-info")) return;
    packages.add(pkg);
    Entry entry = new Entry(pkg + "." + binary, module);
    entries.computeIfAbsent(simple, s -> new ArrayList<>(1)).add(entry);
  }

  private static ClassIndex ofJdk() {
    ClassIndex index = new ClassIndex();
    FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
    for (ModuleReference reference : ModuleFinder.ofSystem().findAll()) {
      String module = reference.descriptor().name();
      for (ModuleDescriptor.Exports exported : reference.descriptor().exports()) {
        String pkg = exported.source();
        if (exported.isQualified() || pkg.startsWith("sun.")) continue;
        Path folder = image.getPath("modules", module, pkg.replace('.', '/'));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.class")) {
          for (Path file : files) index.add(pkg, file.getFileName().toString(), module);
        } catch (IOException e) {
          // Its classes can still be named in full.
        }
      }
    }
    return index;
  }

  private static ClassIndex ofJars(List<File> jars) {
    ClassIndex index = new ClassIndex();
    for (File jar : jars) {
      try (ZipFile zip = new ZipFile(jar)) {
        for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
          String name = all.nextElement().getName();
          int slash = name.lastIndexOf('/');
          if (slash <= 0 || !name.endsWith(".class") || name.startsWith("META-INF/")) continue;
          index.add(name.substring(0, slash).replace('/', '.'), name.substring(slash + 1), "");
        }
      } catch (IOException | IllegalArgumentException e) {
        // The compiler does not read it either.
      }
    }
    return index;
  }

  /** The modules of the JDK that the module of a file reads; null: all. */
  static Set<String> readableBy(Path path, List<SourceText> moduleFiles) {
    SourceText nearest = null;
    for (SourceText module : moduleFiles) {
      Path folder = module.path.getParent();
      if (!path.startsWith(folder)) continue;
      if (nearest == null || folder.startsWith(nearest.path.getParent())) nearest = module;
    }
    if (nearest == null) return null;
    List<String> open = new ArrayList<>(List.of("java.base"));
    Matcher required = REQUIRED.matcher(COMMENT.matcher(nearest.text).replaceAll(" "));
    while (required.find()) open.add(required.group(1));
    Set<String> found = new HashSet<>();
    while (!open.isEmpty()) {
      String name = open.remove(open.size() - 1);
      if (!found.add(name)) continue;
      ModuleReference module = ModuleFinder.ofSystem().find(name).orElse(null);
      if (module == null) continue;
      for (ModuleDescriptor.Requires next : module.descriptor().requires()) {
        if (next.modifiers().contains(ModuleDescriptor.Requires.Modifier.TRANSITIVE)) {
          open.add(next.name());
        }
      }
    }
    return found;
  }
}

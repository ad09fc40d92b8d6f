import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.tools.Diagnostic;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.ForwardingJavaFileObject;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * The errors of one file, those of data flow included, for which a World does not look. Of other
 * files the compiler reads those that this one needs.
 */
final class Diagnosis {
  private static final int MAX_ERRORS = 1000;

  /** An error. */
  static final class Problem {
    final String code;  // of javac
    final int start;
    final int position;

    private Problem(Diagnostic<?> diagnostic) {
      code = diagnostic.getCode();
      start = (int) diagnostic.getStartPosition();
      position = (int) diagnostic.getPosition();
    }
  }

  private Diagnosis() {}

  static List<Problem> of(World world, World.Unit unit, List<File> classPath) throws IOException {
    if (unit.problems != null) return unit.problems;
    List<Problem> problems = new ArrayList<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files =
            compiler.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);
        SourceManager manager = new SourceManager(files, world)) {
      files.setLocation(StandardLocation.CLASS_PATH, classPath);
      List<String> options =
          List.of(
              "-proc:none", "-implicit:none", "-Xlint:none", "-nowarn", "-Xprefer:source",
              "-Xmaxerrs", String.valueOf(MAX_ERRORS),
              "-XDshould-stop.ifError=FLOW", "-XDshould-stop.ifNoError=FLOW");
      OutputStreamWriter nowhere =
          new OutputStreamWriter(OutputStream.nullOutputStream(), StandardCharsets.UTF_8);
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  nowhere,
                  manager,
                  diagnostic -> {
                    if (diagnostic.getKind() != Diagnostic.Kind.ERROR) return;
                    boolean isHere = isOf(unit, diagnostic.getSource());
                    if (isHere && diagnostic.getPosition() != Diagnostic.NOPOS) {
                      problems.add(new Problem(diagnostic));
                    }
                  },
                  options,
                  null,
                  List.of(unit.source));
      task.addTaskListener(new Stop(unit));
      task.call();
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      // The listener has seen enough, or the compiler gave up: errors before that are known.
    }
    unit.problems = problems;
    return problems;
  }

  private static boolean isOf(World.Unit unit, JavaFileObject file) {
    return file != null && file.toUri().equals(unit.source.toUri());
  }

  /** Ends the analysis as soon as the classes of the file are analyzed. */
  private static final class Stop implements TaskListener {
    private final World.Unit unit;
    private int left;

    Stop(World.Unit unit) {
      this.unit = unit;
      for (Tree type : unit.tree.getTypeDecls()) left += type instanceof ClassTree ? 1 : 0;
    }

    @Override
    public void finished(TaskEvent event) {
      if (event.getKind() != TaskEvent.Kind.ANALYZE || !isOf(unit, event.getSourceFile())) return;
      if (--left <= 0) throw new IllegalStateException("all is analyzed");
    }
  }

  /** Offers the files of a world as source path. */
  private static final class SourceManager
      extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final Map<String, List<JavaFileObject>> byPackage = new HashMap<>();

    SourceManager(StandardJavaFileManager files, World world) {
      super(files);
      for (World.Unit unit : world.units.values()) {
        Tree name = unit.tree.getPackageName();
        String pkg = name == null ? "" : name.toString();
        for (Tree type : unit.tree.getTypeDecls()) {
          if (!(type instanceof ClassTree)) continue;
          String simple = ((ClassTree) type).getSimpleName().toString();
          byPackage
              .computeIfAbsent(pkg, p -> new ArrayList<>())
              .add(new ClassSource(unit.source, pkg.isEmpty() ? simple : pkg + "." + simple));
        }
      }
    }

    @Override
    public boolean hasLocation(JavaFileManager.Location location) {
      return location == StandardLocation.SOURCE_PATH || super.hasLocation(location);
    }

    @Override
    public Iterable<JavaFileObject> list(
        JavaFileManager.Location location,
        String pkg,
        Set<JavaFileObject.Kind> kinds,
        boolean isDeep)
        throws IOException {
      if (location != StandardLocation.SOURCE_PATH) return super.list(location, pkg, kinds, isDeep);
      boolean isWanted = kinds.contains(JavaFileObject.Kind.SOURCE);
      return isWanted ? byPackage.getOrDefault(pkg, List.of()) : List.of();
    }

    @Override
    public String inferBinaryName(JavaFileManager.Location location, JavaFileObject file) {
      if (file instanceof ClassSource) return ((ClassSource) file).binaryName;
      return super.inferBinaryName(location, file);
    }

    @Override
    public JavaFileObject getJavaFileForInput(
        JavaFileManager.Location location, String name, JavaFileObject.Kind kind)
        throws IOException {
      if (location == StandardLocation.SOURCE_PATH) return null;  // asks for module-info only
      return super.getJavaFileForInput(location, name, kind);
    }

    @Override
    public boolean isSameFile(javax.tools.FileObject a, javax.tools.FileObject b) {
      return a.toUri().equals(b.toUri());
    }
  }

  /** A top-level class, the file of which may have another name. */
  private static final class ClassSource extends ForwardingJavaFileObject<SourceText> {
    final String binaryName;

    ClassSource(SourceText source, String binaryName) {
      super(source);
      this.binaryName = binaryName;
    }
  }
}

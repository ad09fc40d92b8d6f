import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A server of the Language Server Protocol 3.17 for Java, on the compiler of the JDK that runs it.
 * Besides the protocol it sends stile/partial {reason} before an answer that may lack places.
 */
public final class JavaServer {
  private static final int MAX_MESSAGE = 64 << 20;
  // The compiler recurses where expressions are nested.
  private static final long STACK_BYTES = 256L << 20;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int INTERNAL_ERROR = -32603;
  private static final int REQUEST_FAILED = -32803;

  private final InputStream in;
  private final OutputStream out;
  private Project project;
  private boolean isRunning = true;

  private JavaServer(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  public static void main(String[] arguments) throws InterruptedException {
    InputStream in = new BufferedInputStream(System.in);
    OutputStream out = System.out;
    System.setOut(System.err);  // nothing else may write into the protocol
    Thread thread = new Thread(null, () -> new JavaServer(in, out).run(), "server", STACK_BYTES);
    thread.start();
    thread.join();
    System.exit(0);
  }

  private void run() {
    try {
      while (isRunning) {
        String message = readMessage();
        if (message == null) return;
        handle(Json.parse(message));
      }
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("the connection broke: " + e.getMessage());
    }
  }

  private String readMessage() throws IOException {
    int length = -1;
    while (true) {
      String line = readLine();
      if (line == null) return null;
      if (line.isEmpty()) break;
      String[] header = line.split(":", 2);
      if (header.length < 2) throw new IOException("a header without a colon");
      if (header[0].equalsIgnoreCase("Content-Length")) length = Integer.parseInt(header[1].trim());
    }
    if (length < 0 || length > MAX_MESSAGE) throw new IOException("no usable Content-Length");
    byte[] bytes = new byte[length];
    try {
      new DataInputStream(in).readFully(bytes);
    } catch (EOFException e) {
      return null;
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int c = in.read();
      if (c < 0 || line.length() > 1000) return null;
      if (c == '\n') return line.toString();
      if (c != '\r') line.append((char) c);
    }
  }

  private void send(Map<String, Object> message) throws IOException {
    byte[] body = Json.write(message).getBytes(StandardCharsets.UTF_8);
    String header = "Content-Length: " + body.length + "\r\n\r\n";
    out.write(header.getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
  }

  private void handle(Object message) throws IOException {
    String method = Json.string(message, "method");
    Object id = Json.get(message, "id");
    Object params = Json.get(message, "params");
    if (method == null) return;  // an answer: this server asks nothing
    if (id == null) {
      try {
        handleNotification(method, params);
      } catch (RuntimeException e) {
        e.printStackTrace();
      }
      return;
    }
    Map<String, Object> reply = Json.map("jsonrpc", "2.0", "id", id);
    try {
      reply.put("result", answer(method, params));
    } catch (Refusal e) {
      reply.put("error", Json.map("code", REQUEST_FAILED, "message", e.getMessage()));
    } catch (UnknownMethod e) {
      reply.put("error", Json.map("code", METHOD_NOT_FOUND, "message", e.getMessage()));
    } catch (IOException | RuntimeException | StackOverflowError | AssertionError e) {
      reply.put("error", Json.map("code", INTERNAL_ERROR, "message", "internal error: " + e));
      e.printStackTrace();
    }
    send(reply);
    if (project != null) project.trim();
  }

  private static final class UnknownMethod extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownMethod(String message) {
      super(message);
    }
  }

  private static Path path(Object params, String... keys) {
    return path(Json.string(params, keys));
  }

  static Path path(String uri) {
    if (uri == null || !uri.startsWith("file:")) throw new Refusal("no file: " + uri);
    return Path.of(URI.create(uri)).normalize();
  }

  private void handleNotification(String method, Object params) {
    if (method.equals("exit")) isRunning = false;
    if (project == null) return;
    switch (method) {
      case "textDocument/didOpen":
        project.opened(path(params, "textDocument", "uri"), Json.string(params, "textDocument", "text"));
        break;
      case "textDocument/didChange":
        for (Object change : Json.list(params, "contentChanges")) {
          project.opened(path(params, "textDocument", "uri"), Json.string(change, "text"));
        }
        break;
      case "textDocument/didClose":
        project.closed(path(params, "textDocument", "uri"));
        break;
      case "workspace/didChangeWatchedFiles":
        for (Object change : Json.list(params, "changes")) {
          Path path = path(change, "uri");
          int type = Json.integer(change, "type");
          if (type == 1) project.fileAdded(path);
          if (type == 2) project.fileChanged(path);
          if (type == 3) project.fileRemoved(path);
        }
        break;
      default:
        break;
    }
  }

  private Object answer(String method, Object params) throws IOException {
    if (method.equals("initialize")) return initialize(params);
    if (method.equals("shutdown")) return null;
    if (project == null) throw new Refusal("not initialized");
    switch (method) {
      case "textDocument/references":
        return references(params);
      case "textDocument/rename":
        return rename(params);
      case "textDocument/definition":
        return new Navigation(project).definition(place(params));
      case "textDocument/implementation":
        return new Navigation(project).implementations(place(params));
      case "textDocument/hover":
        return new Hover(project).at(place(params));
      case "textDocument/codeAction":
        return new CodeActions(project)
            .of(
                path(params, "textDocument", "uri"),
                Json.integer(params, "range", "start", "line"),
                Json.integer(params, "range", "end", "line"),
                Json.list(params, "context", "only"));
      case "textDocument/completion":
        return new Completion(project).at(place(params));
      default:
        throw new UnknownMethod(method + " is not offered");
    }
  }

  private Object initialize(Object params) {
    Path root = path(params, "rootUri");
    List<Path> files = new ArrayList<>();
    for (Object file : Json.list(params, "initializationOptions", "files")) {
      files.add(root.resolve((String) file).normalize());
    }
    project = new Project(root, files);
    Map<String, Object> capabilities =
        Json.map(
            "positionEncoding", "utf-16",
            "textDocumentSync", 1,
            "referencesProvider", true,
            "definitionProvider", true,
            "implementationProvider", true,
            "hoverProvider", true,
            "renameProvider", true,
            "codeActionProvider",
            Json.map("codeActionKinds", List.of("quickfix", CodeActions.ORGANIZE)),
            "completionProvider", Json.map());
    return Json.map(
        "capabilities",
        capabilities,
        "serverInfo",
        Json.map("name", "Java", "version", "JDK " + System.getProperty("java.version")));
  }

  private static Place place(Object params) {
    return new Place(
        path(params, "textDocument", "uri"),
        Json.integer(params, "position", "line"),
        Json.integer(params, "position", "character"));
  }

  private void tellPartial(References references) throws IOException {
    String reason = references.partial();
    if (reason.isEmpty()) return;
    Map<String, Object> params = Json.map("reason", reason);
    send(Json.map("jsonrpc", "2.0", "method", "stile/partial", "params", params));
  }

  private Object references(Object params) throws IOException {
    References references = new References(project);
    boolean withDeclaration =
        Boolean.TRUE.equals(Json.get(params, "context", "includeDeclaration"));
    List<Object> locations = new ArrayList<>();
    for (References.Found found : references.find(place(params), Symbol.Reach.CALLS)) {
      for (Occurrence occurrence : found.places) {
        if (withDeclaration || !occurrence.isDeclaration) {
          locations.add(References.location(occurrence));
        }
      }
    }
    tellPartial(references);
    return locations;
  }

  private Object rename(Object params) throws IOException {
    References references = new References(project);
    Renaming renaming = new Renaming(project, references, Json.string(params, "newName"));
    Object edits = renaming.edits(references.find(place(params), Symbol.Reach.RENAME));
    tellPartial(references);
    return edits;
  }
}

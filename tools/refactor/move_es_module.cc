// TypeScript and JavaScript: paths in import, export, require and mocks.
#include <array>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/import_fixups.h"
#include "tools/index/file_reading.h"
#include "tools/index/module_map.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

// Longer ones first.
constexpr std::array<absl::string_view, 11> kExtensions = {
    ".d.ts", ".d.mts", ".d.cts", ".tsx", ".mts", ".cts", ".ts", ".jsx", ".mjs", ".cjs", ".js"};
// What a path is written with, and what it may mean in TypeScript.
constexpr std::array<std::pair<absl::string_view, absl::string_view>, 5> kCompiled = {
    {{".js", ".ts"}, {".js", ".tsx"}, {".jsx", ".tsx"}, {".mjs", ".mts"}, {".cjs", ".cts"}}};
constexpr absl::string_view kIndex = "/index";
constexpr size_t kMaxPackageBytes = size_t{1} << 20;

absl::string_view ExtensionOf(absl::string_view path) {
  for (const absl::string_view extension : kExtensions) {
    if (absl::EndsWith(path, extension)) return extension;
  }
  return "";
}

std::string WithoutExtension(const std::string& path) {
  return path.substr(0, path.size() - ExtensionOf(path).size());
}

// The string of an import, an export, or of a call that takes the path of a module.
bool IsSpecifier(TSNode text_node, absl::string_view text) {
  const TSNode parent = ts_node_parent(text_node);
  if (ts_node_is_null(parent)) return false;
  const absl::string_view type = TypeOf(parent);
  if (absl::StartsWith(type, "import")) return true;
  if (type == "export_statement") return SameNode(FieldOf(parent, "source"), text_node);
  if (type != "arguments" || !SameNode(ts_node_named_child(parent, 0), text_node)) return false;
  const TSNode call = ts_node_parent(parent);
  if (!IsNode(call, "call_expression")) return false;
  const absl::string_view function = TextOf(FieldOf(call, "function"), text);
  if (function == "require" || function == "import" || function == "require.resolve" ||
      function == "import.meta.resolve") {
    return true;
  }
  if (!absl::StartsWith(function, "jest.") && !absl::StartsWith(function, "vi.")) return false;
  constexpr std::array<absl::string_view, 7> kMembers = {
      ".mock",        ".unmock",       ".doMock",    ".requireActual",
      ".requireMock", ".importActual", ".importMock"};
  for (const absl::string_view member : kMembers) {
    if (absl::EndsWith(function, member)) return true;
  }
  return false;
}

class EcmaMove {
 public:
  explicit EcmaMove(const FileMove& move) : move_(move) {}

  absl::Status Plan() {
    if (KindOf(move_.from()) != KindOf(move_.to)) {
      return absl::FailedPreconditionError(
          "the extension says which kind of module a file is; keep it");
    }
    const std::string stem = WithoutExtension(BaseName(move_.from()));
    // `import "."` names the index of a folder.
    const std::string part = stem == "index" ? "." : stem;
    move_.ForEachUser({"typescript", "javascript"}, part,
                      [&](const SourceFile& user, const SyntaxTree& tree) {
                        ForEachSpecifier(user, tree, [&](TSNode node, const std::string& written) {
                          Follow(user, node, written);
                        });
                      });
    FollowInManifests(move_);
    if (!move_.ChangesFolder()) return absl::OkStatus();
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                           SyntaxTree::Parse(move_.file->grammar, move_.file->text));
    ForEachSpecifier(*move_.file, tree, [&](TSNode node, const std::string& written) {
      if (!IsRelativeModule(written)) return;
      const std::string target = CleanPath(JoinPath(DirName(move_.from()), written));
      Write(*move_.file, node, RelativeSpecifier(move_.to, target));
    });
    return absl::OkStatus();
  }

 private:
  // ".tsx" is a kind of ".ts".
  static std::string KindOf(const std::string& path) {
    std::string kind(ExtensionOf(path));
    if (absl::EndsWith(kind, "sx")) kind.pop_back();
    return kind;
  }

  template <typename Use>
  static void ForEachSpecifier(const SourceFile& file, const SyntaxTree& tree, const Use& use) {
    WalkTree(tree.root(), [&](TSNode node) {
      if (!IsNode(node, "string") || EndOf(node) - BeginOf(node) < 3) return true;
      if (IsSpecifier(node, file.text)) {
        use(node, file.text.substr(BeginOf(node) + 1, EndOf(node) - BeginOf(node) - 2));
      }
      return false;
    });
  }

  // Keeps the quotes.
  void Write(const SourceFile& file, TSNode node, const std::string& specifier) const {
    const char quote = file.text[BeginOf(node)];
    move_.Edit(file, node, absl::StrCat(std::string(1, quote), specifier, std::string(1, quote)));
  }

  static std::string RelativeSpecifier(const std::string& from, const std::string& to) {
    const std::string path = RelativePath(DirName(from), to);
    return absl::StartsWith(path, "../") ? path : absl::StrCat("./", path);
  }

  // The file that a path without or with an extension means; "".
  std::string FileAt(const std::string& path) const {
    // A source comes before the file that was compiled from it.
    for (const auto& [written, meant] : kCompiled) {
      absl::string_view stem = path;
      if (!absl::ConsumeSuffix(&stem, written)) continue;
      if (std::string source = absl::StrCat(stem, meant); move_.paths.count(source) > 0) {
        return source;
      }
    }
    if (move_.paths.count(path) > 0) return path;
    for (const absl::string_view folder : {absl::string_view(), kIndex}) {
      for (const absl::string_view extension :
           {".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}) {
        const std::string base =
            path == "." && !folder.empty() ? "index" : absl::StrCat(path, folder);
        if (std::string file = absl::StrCat(base, extension); move_.paths.count(file) > 0) {
          return file;
        }
      }
    }
    return "";
  }

  // The new path in the manner of `written`: with its kind of extension or without one.
  std::string InMannerOf(const std::string& written, const std::string& path) const {
    const absl::string_view extension = ExtensionOf(written);
    if (extension.empty()) return WithoutExtension(path);
    if (extension == ExtensionOf(move_.from())) return path;
    // The compiled name of a source.
    for (const auto& [compiled, source] : kCompiled) {
      if (source == ExtensionOf(path) && compiled != ".jsx") {
        return absl::StrCat(WithoutExtension(path), compiled);
      }
    }
    return absl::StrCat(WithoutExtension(path), extension);
  }

  void Follow(const SourceFile& user, TSNode node, const std::string& written) {
    if (IsRelativeModule(written)) {
      const std::string path = CleanPath(JoinPath(DirName(user.path), written));
      if (FileAt(path) != move_.from()) return;
      Write(user, node, RelativeSpecifier(user.path, InMannerOf(written, move_.to)));
      return;
    }
    FollowAlias(user, node, written);
  }

  // "@/shop/order" or "shop/order" for src/shop/order.ts: a prefix, or nothing, stands for a
  // folder. Which, only the compiler knows.
  void FollowAlias(const SourceFile& user, TSNode node, const std::string& written) {
    const size_t slash = written.find('/');
    if (slash == std::string::npos ||
        !LanguageBackendOf(user.language.id).naming.has_declaration_files)
      return;
    if (IsDependency(written.substr(0, slash))) return;
    std::string stem = WithoutExtension(move_.from());
    for (const size_t prefix : {size_t{0}, slash + 1}) {
      const std::string rest = WithoutExtension(written.substr(prefix));
      for (const std::string& named : {stem, std::string(absl::StripSuffix(stem, kIndex))}) {
        if (named != rest && !absl::EndsWith(named, absl::StrCat("/", rest))) continue;
        move_.result->needs_compiler = true;
        const std::string root = named.substr(0, named.size() - rest.size());
        if (!absl::StartsWith(move_.to, root)) return;
        Write(user, node,
              absl::StrCat(written.substr(0, prefix),
                           InMannerOf(written, move_.to.substr(root.size()))));
        return;
      }
    }
  }

  // Whether a package of that name, or of that scope, is installed or asked for.
  bool IsDependency(const std::string& first) {
    const auto [known, is_new] = dependencies_.emplace(first, false);
    if (!is_new) return known->second;
    if (DirectoryExists(JoinPath(JoinPath(move_.context.workspace, "node_modules"), first))) {
      return known->second = true;
    }
    for (const std::string& path : move_.paths) {
      std::string text;
      if (BaseName(path) != "package.json" ||
          !ReadRegularFile(JoinPath(move_.context.workspace, path), kMaxPackageBytes, &text)) {
        continue;
      }
      const bool names_it = absl::StrContains(text, absl::StrCat("\"", first, "\"")) ||
                            absl::StrContains(text, absl::StrCat("\"", first, "/"));
      if (names_it) return known->second = true;
    }
    return false;
  }

  const FileMove& move_;
  std::map<std::string, bool> dependencies_;
};

}  // namespace

absl::Status MoveEcmaModule(const FileMove& move) { return EcmaMove(move).Plan(); }

}  // namespace stile

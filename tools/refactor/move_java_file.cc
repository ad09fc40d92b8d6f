// Java: a file into another package.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

std::string PackageOf(const SyntaxTree& tree, absl::string_view text) {
  const TSNode declaration = ChildOf(tree.root(), "package_declaration");
  if (ts_node_is_null(declaration)) return "";
  for (const TSNode child : NamedChildren(declaration)) {
    if (IsNode(child, "scoped_identifier") || IsNode(child, "identifier")) {
      return std::string(TextOf(child, text));
    }
  }
  return "";
}

std::set<std::string> TypesOf(const SourceFile& file) {
  std::set<std::string> types;
  for (const Symbol& symbol : file.symbols) {
    const bool is_top =
        symbol.parent < 0 ||
        file.symbols[static_cast<size_t>(symbol.parent)].kind == SymbolKind::kNamespace;
    if (is_top && symbol.kind != SymbolKind::kNamespace) types.insert(symbol.name);
  }
  return types;
}

class JavaMove {
 public:
  explicit JavaMove(const FileMove& move) : move_(move), types_(TypesOf(*move.file)) {}

  absl::Status Plan() {
    if (BaseName(move_.from()) != BaseName(move_.to)) {
      return absl::FailedPreconditionError(
          "in Java a file has the name of its public type; rename the type");
    }
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                           SyntaxTree::Parse(move_.file->grammar, move_.file->text));
    old_ = PackageOf(tree, move_.file->text);
    const std::string folders = absl::StrReplaceAll(old_, {{".", "/"}});
    const std::string folder = DirName(move_.from());
    const bool fits =
        old_.empty() || folder == folders || absl::EndsWith(folder, absl::StrCat("/", folders));
    if (!fits) {
      return absl::FailedPreconditionError(
          absl::StrCat("package ", old_, " does not fit the folder ", ToUtf8(folder)));
    }
    std::string root = folder.substr(0, folder.size() - folders.size());
    if (old_.empty()) root = folder == "." ? "" : absl::StrCat(folder, "/");
    if (folder == folders) root = "";
    if (!absl::StartsWith(move_.to, root)) {
      return absl::FailedPreconditionError(absl::StrCat(
          ToUtf8(move_.to), " lies outside of the sources in ", root.empty() ? "." : ToUtf8(root)));
    }
    const std::string new_folder = DirName(move_.to.substr(root.size()));
    new_ = new_folder == "." ? "" : absl::StrReplaceAll(new_folder, {{"/", "."}});
    if (new_.empty() != old_.empty()) {
      return absl::FailedPreconditionError("types of the unnamed package cannot be imported");
    }
    STILE_RETURN_IF_ERROR(CheckMeaning());
    STILE_RETURN_IF_ERROR(MovePackage(tree));
    for (const std::string& type : types_) {
      move_.result->other_names.insert(absl::StrCat(old_, ".", type));
      move_.ForEachUser({"java"}, type, [&](const SourceFile& user, const SyntaxTree& users) {
        Follow(user, users, type);
      });
    }
    return absl::OkStatus();
  }

 private:
  void AddImport(const std::string& path, const std::string& line) {
    const auto site = OpenSite(move_.context, path);
    if (site.ok() && added_.emplace(path, line).second) {
      stile::AddImport(*site, line, &move_.result->plan);
    }
  }

  // What the compiler accepts in the new package, and which means something else there.
  absl::Status CheckMeaning() const {
    const SourceFile& file = *move_.file;
    if (absl::StrContains(file.text, "getResource")) {
      return absl::FailedPreconditionError(
          "it reads a resource, which is looked for in the package of its class");
    }
    for (const std::string& path : move_.paths) {
      if (!absl::EndsWith(path, ".java") || path == move_.from()) continue;
      const std::string type = std::string(absl::StripSuffix(BaseName(path), ".java"));
      const auto other = move_.context.index->Open(path);
      if (!other.ok()) continue;
      STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                             SyntaxTree::Parse((*other)->grammar, (*other)->text));
      const std::string package = PackageOf(tree, (*other)->text);
      if (package == new_ && IsNamedBare(file, type)) {
        return absl::FailedPreconditionError(absl::StrCat("package ", new_, " has a type ", type,
                                                          ", which the file would mean then"));
      }
      if (package == old_) STILE_RETURN_IF_ERROR(CheckHierarchy(**other));
    }
    return absl::OkStatus();
  }

  // Methods without an access word are overridden, and found as overloads, within a package only.
  absl::Status CheckHierarchy(const SourceFile& other) const {
    for (const auto& [above, below] :
         {std::make_pair(&other, move_.file.get()), std::make_pair(move_.file.get(), &other)}) {
      for (size_t i = 0; i < above->symbols.size(); ++i) {
        const Symbol& base = above->symbols[i];
        const bool is_extended =
            std::any_of(below->symbols.begin(), below->symbols.end(), [&](const Symbol& derived) {
              return std::find(derived.bases.begin(), derived.bases.end(), base.name) !=
                     derived.bases.end();
            });
        if (base.kind != SymbolKind::kClass || !is_extended) continue;
        for (const Symbol& member : above->symbols) {
          if (member.parent != static_cast<int>(i) || member.kind != SymbolKind::kMethod) continue;
          const auto words =
              absl::string_view(above->text).substr(member.begin, member.name_begin - member.begin);
          if (HoldsWord(words, "public") || HoldsWord(words, "protected") ||
              HoldsWord(words, "private")) {
            continue;
          }
          return absl::FailedPreconditionError(absl::StrCat(
              ToUtf8(above->path), ":", member.line, " declares ", base.name, ".", member.name,
              " for its package alone, and ", ToUtf8(below->path), " extends ", base.name));
        }
      }
    }
    return absl::OkStatus();
  }

  // Changes the package of the moved file and imports the types of its old package that it uses.
  absl::Status MovePackage(const SyntaxTree& tree) {
    const TSNode declaration = ChildOf(tree.root(), "package_declaration");
    if (!ts_node_is_null(declaration)) {
      for (const TSNode child : NamedChildren(declaration)) {
        const bool is_name = IsNode(child, "scoped_identifier") || IsNode(child, "identifier");
        if (is_name) move_.Edit(*move_.file, child, new_);
      }
    }
    for (const std::string& path : move_.paths) {
      const bool is_neighbour = absl::EndsWith(path, ".java") && path != move_.from();
      if (!is_neighbour) continue;
      const std::string type = std::string(absl::StripSuffix(BaseName(path), ".java"));
      if (!HoldsWord(move_.file->text, type)) continue;
      const auto file = move_.context.index->Open(path);
      if (!file.ok()) continue;
      STILE_ASSIGN_OR_RETURN(const SyntaxTree other,
                             SyntaxTree::Parse((*file)->grammar, (*file)->text));
      if (PackageOf(other, (*file)->text) != old_) continue;
      const std::string line = absl::StrCat("import ", old_, ".", type, ";");
      if (IsNamedBare(*move_.file, type)) AddImport(move_.from(), line);
    }
    return absl::OkStatus();
  }

  // Whether the name stands there on its own, not behind a dot and not in an import.
  static bool IsNamedBare(const SourceFile& file, const std::string& name) {
    for (const Occurrence& occurrence :
         FindOccurrences(file.grammar, file.scopes, file.text, name)) {
      const bool is_other = occurrence.role == OccurrenceRole::kMember ||
                            occurrence.role == OccurrenceRole::kImport ||
                            occurrence.role == OccurrenceRole::kDefinition;
      if (!is_other) return true;
    }
    return false;
  }

  void Follow(const SourceFile& user, const SyntaxTree& tree, const std::string& type) {
    const std::string old_name = absl::StrCat(old_, ".", type);
    const std::string new_name = absl::StrCat(new_, ".", type);
    const std::string package = PackageOf(tree, user.text);
    bool imports_it = false;
    bool imports_package = package == old_;
    for (const Import& import : FindImports(user.grammar, tree, user.text)) {
      imports_it |= import.module == old_ && import.name == type;
      imports_package |= import.module == old_ && import.name == "*";
    }
    WalkTree(tree.root(), [&](TSNode node) {
      const absl::string_view kind = TypeOf(node);
      const bool is_path =
          kind == "scoped_identifier" || kind == "scoped_type_identifier" || kind == "field_access";
      if (!is_path || TextOf(node, user.text) != old_name) return true;
      move_.Edit(user, node, new_name);
      return false;
    });
    const bool needs_import = !imports_it && imports_package && package != new_;
    if (needs_import && IsNamedBare(user, type)) {
      AddImport(user.path, absl::StrCat("import ", new_name, ";"));
    }
  }

  const FileMove& move_;
  const std::set<std::string> types_;
  std::string old_;
  std::string new_;
  std::set<std::pair<std::string, std::string>> added_;
};

}  // namespace

absl::Status MoveJavaFile(const FileMove& move) { return JavaMove(move).Plan(); }

}  // namespace stile

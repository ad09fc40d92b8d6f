// Python: import statements, and the dotted names that they allow.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/language/brackets.h"
#include "tools/language/language_family.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

// Module names are told from paths: `shop.order` may mean src/shop/order.py, whatever __init__.py
// there are. Folders are relative to the workspace.
class PythonMove {
 public:
  explicit PythonMove(const FileMove& move)
      : move_(move), stem_(WithoutExtension(move.from())), new_stem_(WithoutExtension(move.to)) {}

  absl::Status Plan() {
    STILE_RETURN_IF_ERROR(CheckPlaces());
    old_name_ = BaseName(stem_);
    new_name_ = BaseName(new_stem_);
    for (size_t depth = 2; depth <= CountParts(stem_); ++depth) {
      move_.result->other_names.insert(LastParts(stem_, depth));
    }
    move_.ForEachUser({"python"}, old_name_, [&](const SourceFile& user, const SyntaxTree& tree) {
      FollowIn(user, tree);
    });
    STILE_RETURN_IF_ERROR(failed_);
    if (!move_.ChangesFolder()) return absl::OkStatus();
    // Relative imports of the moved file mean another package now.
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                           SyntaxTree::Parse(move_.file->grammar, move_.file->text));
    WalkTree(tree.root(), [&](TSNode node) {
      if (!IsNode(node, "import_from_statement")) return true;
      const TSNode module = FieldOf(node, "module_name");
      if (!IsNode(module, "relative_import")) return false;
      const auto meant =
          PathOfRelative(std::string(TextOf(module, move_.file->text)), move_.from());
      if (meant.has_value()) move_.Edit(*move_.file, module, Named(*meant, move_.to));
      return false;
    });
    return failed_;
  }

 private:
  static std::string WithoutExtension(const std::string& path) {
    return path.substr(0, path.size() - std::string(".py").size());
  }
  static size_t CountParts(const std::string& path) {
    return 1 + static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
  }
  // "shop.order" of src/shop/order for a depth of 2.
  static std::string LastParts(const std::string& path, size_t depth) {
    const std::vector<std::string> parts = absl::StrSplit(path, '/');
    return absl::StrJoin(parts.end() - static_cast<std::ptrdiff_t>(depth), parts.end(), ".");
  }
  static std::string Dotted(const std::string& path) {
    return absl::StrReplaceAll(path, {{"/", "."}});
  }
  bool IsPackage(const std::string& folder) const {
    return move_.paths.count(JoinPath(folder, "__init__.py")) > 0;
  }
  // The folder in which the topmost package around a folder lies; the folder itself if it is none.
  std::string RootOf(std::string folder) const {
    while (folder != "." && IsPackage(folder)) folder = DirName(folder);
    return folder;
  }

  absl::Status CheckPlaces() const {
    for (const std::string& path : {move_.from(), move_.to}) {
      const std::string base = BaseName(path);
      if (base == "__init__.py" || base == "__main__.py" || base == "conftest.py" ||
          !absl::EndsWith(base, ".py")) {
        return absl::FailedPreconditionError(absl::StrCat(
            base, " has its meaning by its name and its folder; no file moves from or to it"));
      }
    }
    for (const absl::string_view part : absl::StrSplit(new_stem_, '/')) {
      const bool is_name = IsIdentifier(part);
      // Folders above the packages may have any name.
      if (!is_name && part == BaseName(new_stem_)) {
        return absl::FailedPreconditionError(
            absl::StrCat(ToUtf8(move_.to), " can be no module: ", ToUtf8(part), " is no name"));
      }
    }
    const std::string folder = DirName(move_.to);
    if (!IsPackage(folder) && FindLanguageFamily("python")->IsLibraryModule(BaseName(new_stem_))) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(move_.to),
                       " would hide a module of the standard library; choose another newName"));
    }
    if (IsPackage(DirName(move_.from())) && !IsPackage(folder)) {
      return absl::FailedPreconditionError(absl::StrCat(ToUtf8(folder), " is no package; write ",
                                                        ToUtf8(JoinPath(folder, "__init__.py")),
                                                        " first"));
    }
    return absl::OkStatus();
  }

  // The path that a relative import in a file means: "shop/order" for "..order" in shop/sub/a.py.
  static std::optional<std::string> PathOfRelative(const std::string& written,
                                                   const std::string& file) {
    size_t dots = written.find_first_not_of('.');
    if (dots == std::string::npos) dots = written.size();
    std::string folder = DirName(file);
    for (size_t i = 1; i < dots; ++i) {
      if (folder == ".") return std::nullopt;
      folder = DirName(folder);
    }
    const std::string rest = absl::StrReplaceAll(written.substr(dots), {{".", "/"}});
    return rest.empty() ? folder : JoinPath(folder, rest);
  }

  // The topmost package around a folder; "" where it is none.
  std::string TopPackage(const std::string& folder) const {
    std::string top;
    for (std::string above = folder; above != "." && IsPackage(above); above = DirName(above)) {
      top = above;
    }
    return top;
  }

  // A module by its path, as a file names it that uses relative imports: relatively within one
  // topmost package, else from the root of the packages.
  std::string Named(const std::string& path, const std::string& user) const {
    const std::string top = TopPackage(DirName(user));
    const bool is_shared = !top.empty() && (path == top || absl::StartsWith(path, top + "/"));
    if (!is_shared) {
      const std::string root = RootOf(IsPackage(path) ? path : DirName(path));
      return Dotted(root == "." ? path : path.substr(root.size() + 1));
    }
    std::string above = DirName(user);
    std::string dots = ".";
    while (path != above && !absl::StartsWith(path, above + "/")) {
      above = DirName(above);
      dots += ".";
    }
    return path == above ? dots : absl::StrCat(dots, Dotted(path.substr(above.size() + 1)));
  }

  // Whether an absolute name in a file means the path; `root` becomes the folder that it starts in.
  bool Means(const std::string& written, const std::string& path, const SourceFile& user,
             std::string* root) {
    const std::string named = absl::StrReplaceAll(written, {{".", "/"}});
    if (path != named && !absl::EndsWith(path, "/" + named)) return false;
    *root = path == named ? "." : path.substr(0, path.size() - named.size() - 1);
    const std::string near = DirName(user.path);
    if (*root == near) return true;
    // Inside of a package, only its whole name means a module from elsewhere.
    if (IsPackage(*root)) return false;
    const std::string top = named.substr(0, named.find('/'));
    if (FindLanguageFamily("python")->IsLibraryModule(top)) return false;
    for (const std::string& other : move_.paths) {
      const bool is_other =
          other != path + ".py" &&
          (other == named + ".py" || absl::EndsWith(other, absl::StrCat("/", named, ".py")) ||
           absl::EndsWith(other, absl::StrCat("/", named, "/__init__.py")) ||
           other == named + "/__init__.py") &&
          other != path + "/__init__.py";
      if (!is_other) continue;
      if (DirName(other) == near) return false;
      if (failed_.ok()) {
        failed_ = absl::FailedPreconditionError(
            absl::StrCat(ToUtf8(user.path), " imports ", ToUtf8(written), ", which may mean ",
                         ToUtf8(path), ".py or ", ToUtf8(other)));
      }
      return false;
    }
    return true;
  }

  // The new name from the folder in which the old one starts; an error where that cannot be.
  std::string FromRoot(const std::string& root, const SourceFile& user) {
    if (root == ".") return Dotted(new_stem_);
    if (absl::StartsWith(new_stem_, root + "/")) return Dotted(new_stem_.substr(root.size() + 1));
    if (failed_.ok()) {
      failed_ = absl::FailedPreconditionError(absl::StrCat(ToUtf8(user.path), " imports it from ",
                                                           ToUtf8(root), "; ", ToUtf8(move_.to),
                                                           " lies outside of that folder"));
    }
    return Dotted(new_stem_);
  }

  void FollowIn(const SourceFile& user, const SyntaxTree& tree) {
    std::map<std::string, std::string> dotted;  // names that the file may say whole, and new ones
    WalkTree(tree.root(), [&](TSNode node) {
      if (IsNode(node, "import_statement")) {
        FollowImport(user, node, &dotted);
        return false;
      }
      if (!IsNode(node, "import_from_statement")) return true;
      FollowFrom(user, node);
      return false;
    });
    if (dotted.empty()) return;
    // `import shop.order` lets the file say shop.order.total.
    WalkTree(tree.root(), [&](TSNode node) {
      if (IsNode(node, "import_statement") || IsNode(node, "import_from_statement")) return false;
      if (!IsNode(node, "attribute")) return true;
      const auto found = dotted.find(std::string(TextOf(node, user.text)));
      if (found == dotted.end()) return true;
      move_.Edit(user, node, found->second);
      return false;
    });
  }

  void FollowImport(const SourceFile& user, TSNode statement,
                    std::map<std::string, std::string>* dotted) {
    for (const TSNode part : NamedChildren(statement)) {
      const bool has_alias = IsNode(part, "aliased_import");
      const TSNode module = has_alias ? FieldOf(part, "name") : part;
      if (!IsNode(module, "dotted_name")) continue;
      const std::string written(TextOf(module, user.text));
      std::string root;
      if (!Means(written, stem_, user, &root)) continue;
      const std::string renamed = FromRoot(root, user);
      if (renamed == written) continue;
      // What the file calls `order` keeps that name.
      const bool is_plain = !has_alias && written.find('.') == std::string::npos;
      move_.Edit(user, module, is_plain ? absl::StrCat(renamed, " as ", written) : renamed);
      if (!has_alias && !is_plain) (*dotted)[written] = renamed;
    }
  }

  // `from shop.order import total` and `from shop import order`.
  void FollowFrom(const SourceFile& user, TSNode statement) {
    const TSNode module = FieldOf(statement, "module_name");
    if (ts_node_is_null(module)) return;
    const std::string written(TextOf(module, user.text));
    std::string root;
    std::optional<std::string> meant;
    const bool is_relative = absl::StartsWith(written, ".");
    if (is_relative) meant = PathOfRelative(written, user.path);
    if (is_relative ? meant == stem_ : Means(written, stem_, user, &root)) {
      move_.Edit(user, module, is_relative ? Named(new_stem_, user.path) : FromRoot(root, user));
      return;
    }
    // A module as a member of its package.
    const std::string folder = DirName(move_.from());
    std::vector<TSNode> items;
    for (const TSNode child : NamedChildren(statement)) {
      const bool is_item = IsNode(child, "dotted_name") || IsNode(child, "aliased_import");
      if (is_item && !SameNode(child, module)) items.push_back(child);
    }
    for (size_t i = 0; i < items.size(); ++i) {
      const bool has_alias = IsNode(items[i], "aliased_import");
      const TSNode name = has_alias ? FieldOf(items[i], "name") : items[i];
      if (TextOf(name, user.text) != old_name_) continue;
      const bool is_it = is_relative
                             ? meant == folder
                             : Means(absl::StrCat(written, ".", old_name_), stem_, user, &root);
      if (!is_it) return;
      const std::string whole = is_relative ? Named(new_stem_, user.path) : FromRoot(root, user);
      const size_t dot = whole.rfind('.');
      std::string parent = dot == std::string::npos ? "" : whole.substr(0, dot);
      // ".order" has the parent ".".
      if (is_relative && whole.find_first_not_of('.') == dot + 1) parent = whole.substr(0, dot + 1);
      const std::string renamed = has_alias || new_name_ == old_name_
                                      ? new_name_
                                      : absl::StrCat(new_name_, " as ", old_name_);
      if (parent == written) {
        move_.Edit(user, name, renamed);
      } else if (items.size() == 1 && !parent.empty()) {
        move_.Edit(user, module, parent);
        move_.Edit(user, name, renamed);
      } else {
        MoveItem(user, statement, items, i, parent, renamed);
      }
      return;
    }
  }

  // Takes one of several names out of a statement, and imports it by one of its own.
  void MoveItem(const SourceFile& user, TSNode statement, const std::vector<TSNode>& items,
                size_t item, const std::string& source, const std::string& renamed) {
    const std::string alias =
        IsNode(items[item], "aliased_import")
            ? absl::StrCat(" as ", TextOf(FieldOf(items[item], "alias"), user.text))
            : "";
    const std::string own = source.empty()
                                ? absl::StrCat("import ", renamed, alias)
                                : absl::StrCat("from ", source, " import ", renamed, alias);
    if (items.size() == 1) {
      move_.Edit(user, statement, own);
      return;
    }
    const bool is_last = item + 1 == items.size();
    const uint32_t begin = is_last ? EndOf(items[item - 1]) : BeginOf(items[item]);
    const uint32_t end = is_last ? EndOf(items[item]) : BeginOf(items[item + 1]);
    const bool has_comment = user.text.substr(begin, end - begin).find('#') != std::string::npos;
    if (has_comment && failed_.ok()) {
      failed_ = absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(user.path), ":", user.PlaceOf(begin).line,
                       ": a comment stands between imported names; give ", old_name_,
                       " an import of its own first"));
    }
    move_.result->plan.Edit(user, {begin, end, ""});
    const size_t line = user.text.rfind('\n', BeginOf(statement)) + 1;  // npos: 0
    const std::string indentation = user.text.substr(line, BeginOf(statement) - line);
    move_.result->plan.Edit(
        user, {EndOf(statement), EndOf(statement), absl::StrCat("\n", indentation, own)});
  }

  const FileMove& move_;
  const std::string stem_;  // "src/shop/order"
  const std::string new_stem_;
  std::string old_name_;  // "order"
  std::string new_name_;
  absl::Status failed_;
};

}  // namespace

absl::Status MovePythonModule(const FileMove& move) { return PythonMove(move).Plan(); }

}  // namespace stile

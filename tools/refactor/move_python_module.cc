// Python: import statements, and the dotted names that they allow.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/backend/syntax_nodes.h"
#include "tools/refactor/borrowed_names.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

std::string ParentOf(const std::string& module) {
  const size_t dot = module.rfind('.');
  return dot == std::string::npos ? "" : module.substr(0, dot);
}

std::string LastOf(const std::string& module) { return module.substr(module.rfind('.') + 1); }

std::string Join(const std::string& package, const std::string& name) {
  return package.empty() || name.empty() ? package + name : absl::StrCat(package, ".", name);
}

class PythonMove {
 public:
  explicit PythonMove(const FileMove& move)
      : move_(move),
        old_(PythonModule(move.context.workspace, move.from())),
        new_(PythonModule(move.context.workspace, move.to)) {}

  absl::Status Plan() {
    const std::string base = BaseName(move_.from());
    if (base == "__init__.py" || base == "__main__.py" || base == "conftest.py") {
      return absl::FailedPreconditionError(
          absl::StrCat(base, " has its meaning by its name and its folder; it cannot move"));
    }
    for (const absl::string_view part : absl::StrSplit(new_, '.')) {
      const bool is_name = !part.empty() &&
                           !absl::ascii_isdigit(static_cast<unsigned char>(part[0])) &&
                           std::all_of(part.begin(), part.end(), IsIdentifierByte);
      if (!is_name) {
        return absl::FailedPreconditionError(
            absl::StrCat(ToUtf8(move_.to), " can be no module: ", ToUtf8(part), " is no name"));
      }
    }
    if (old_ != new_) {
      move_.ForEachUser({"python"}, LastOf(old_),
                        [&](const SourceFile& user, const SyntaxTree& tree) {
                          FollowIn(user, PackageOf(user.path), tree);
                        });
    }
    const std::string before = PackageOf(move_.from());
    const std::string after = PackageOf(move_.to);
    if (before == after) return absl::OkStatus();
    // Relative imports of the moved file mean another package now.
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                           SyntaxTree::Parse(move_.file->grammar, move_.file->text));
    WalkTree(tree.root(), [&](TSNode node) {
      if (!IsNode(node, "import_from_statement")) return true;
      const TSNode module = FieldOf(node, "module_name");
      if (!IsNode(module, "relative_import")) return false;
      const std::string meant = Absolute(std::string(TextOf(module, move_.file->text)), before);
      if (!meant.empty()) move_.Edit(*move_.file, module, Relative(meant, after));
      return false;
    });
    return absl::OkStatus();
  }

 private:
  // Whose modules "." means in a file.
  std::string PackageOf(const std::string& path) const {
    const std::string module = PythonModule(move_.context.workspace, path);
    return BaseName(path) == "__init__.py" ? module : ParentOf(module);
  }

  // "shop.order" for "..order" in shop.tests; "" where it leaves the packages.
  static std::string Absolute(const std::string& written, const std::string& package) {
    size_t dots = written.find_first_not_of('.');
    if (dots == std::string::npos) dots = written.size();
    if (dots == 0) return written;
    std::string base = package;
    for (size_t i = 1; i < dots; ++i) {
      if (base.empty()) return "";
      base = ParentOf(base);
    }
    return base.empty() && dots > 1 ? "" : Join(base, written.substr(dots));
  }

  // "..order" for shop.order in the package shop.tests; the module itself for another top package.
  static std::string Relative(const std::string& module, const std::string& package) {
    const std::vector<std::string> here = absl::StrSplit(package, '.', absl::SkipEmpty());
    const std::vector<std::string> there = absl::StrSplit(module, '.', absl::SkipEmpty());
    size_t shared = 0;
    while (shared < here.size() && shared < there.size() && here[shared] == there[shared]) ++shared;
    if (shared == 0 && !here.empty()) return module;
    std::string relative(here.size() - shared + 1, '.');
    return absl::StrCat(relative, absl::StrJoin(there.begin() + static_cast<std::ptrdiff_t>(shared),
                                                there.end(), "."));
  }

  void FollowIn(const SourceFile& user, const std::string& package, const SyntaxTree& tree) {
    bool names_it_dotted = false;
    WalkTree(tree.root(), [&](TSNode node) {
      if (IsNode(node, "import_statement")) {
        names_it_dotted |= FollowImport(user, node);
        return false;
      }
      if (!IsNode(node, "import_from_statement")) return true;
      FollowFrom(user, package, node);
      return false;
    });
    if (!names_it_dotted) return;
    // `import shop.order` lets the file say shop.order.total.
    WalkTree(tree.root(), [&](TSNode node) {
      if (IsNode(node, "import_statement") || IsNode(node, "import_from_statement")) return false;
      if (!IsNode(node, "attribute") || TextOf(node, user.text) != old_) return true;
      move_.Edit(user, node, new_);
      return false;
    });
  }

  // `import shop.order`. True if the file may say shop.order.total then.
  bool FollowImport(const SourceFile& user, TSNode statement) {
    bool names_it_dotted = false;
    for (const TSNode part : NamedChildren(statement)) {
      const bool has_alias = IsNode(part, "aliased_import");
      const TSNode module = has_alias ? FieldOf(part, "name") : part;
      if (!IsNode(module, "dotted_name") || TextOf(module, user.text) != old_) continue;
      const bool is_plain = !has_alias && old_.find('.') == std::string::npos;
      // What the file calls `order` keeps that name.
      move_.Edit(user, module, is_plain ? absl::StrCat(new_, " as ", old_) : new_);
      names_it_dotted |= !has_alias && !is_plain;
    }
    return names_it_dotted;
  }

  // `from shop.order import total` and `from shop import order`.
  void FollowFrom(const SourceFile& user, const std::string& package, TSNode statement) {
    const TSNode module = FieldOf(statement, "module_name");
    if (ts_node_is_null(module)) return;
    const std::string written(TextOf(module, user.text));
    const bool is_relative = absl::StartsWith(written, ".");
    const std::string meant = Absolute(written, package);
    if (meant == old_) {
      move_.Edit(user, module, is_relative ? Relative(new_, package) : new_);
      return;
    }
    if (meant != ParentOf(old_) || (meant.empty() && !is_relative)) return;
    std::vector<TSNode> items;
    for (const TSNode child : NamedChildren(statement)) {
      const bool is_item = IsNode(child, "dotted_name") || IsNode(child, "aliased_import");
      if (is_item && !SameNode(child, module)) items.push_back(child);
    }
    const std::string old_name = LastOf(old_);
    for (size_t i = 0; i < items.size(); ++i) {
      const bool has_alias = IsNode(items[i], "aliased_import");
      const TSNode name = has_alias ? FieldOf(items[i], "name") : items[i];
      if (TextOf(name, user.text) != old_name) continue;
      const std::string renamed = has_alias || LastOf(new_) == old_name
                                      ? LastOf(new_)
                                      : absl::StrCat(LastOf(new_), " as ", old_name);
      const std::string parent = ParentOf(new_);
      const std::string source = is_relative ? Relative(parent, package) : parent;
      if (parent == ParentOf(old_)) {
        move_.Edit(user, name, renamed);
      } else if (items.size() == 1 && !source.empty()) {
        move_.Edit(user, module, source);
        move_.Edit(user, name, renamed);
      } else {
        MoveItem(user, statement, items, i, source, renamed);
      }
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
    move_.result->plan.Edit(user, {begin, end, ""});
    const size_t line = user.text.rfind('\n', BeginOf(statement)) + 1;  // npos: 0
    const std::string indentation = user.text.substr(line, BeginOf(statement) - line);
    move_.result->plan.Edit(
        user, {EndOf(statement), EndOf(statement), absl::StrCat("\n", indentation, own)});
  }

  const FileMove& move_;
  const std::string old_;  // "shop.order"
  const std::string new_;
};

}  // namespace

absl::Status MovePythonModule(const FileMove& move) { return PythonMove(move).Plan(); }

}  // namespace stile

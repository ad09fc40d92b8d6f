#include "tools/fix/unused_imports.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/language/language_backend.h"
#include "tools/language/language_family.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

std::string LastPart(absl::string_view dotted) {
  return std::string(dotted.substr(dotted.rfind('.') + 1));
}

// "order" of "shop/order.py", "shop" of "shop/__init__.py".
std::string ModuleName(const std::string& path) {
  const std::string base = BaseName(path);
  if (base == "__init__.py") return BaseName(DirName(path));
  return base.substr(0, base.find('.'));
}

struct Item {
  uint32_t begin = 0;  // of the name or module
  uint32_t end = 0;    // of its alias, if it has one
  std::string module;  // that is loaded: "os.path", "..models"
  std::string name;    // that is taken from it; "" for `import module`
  std::string alias;
  bool is_removed = false;

  // By which the file knows it.
  std::string Known() const {
    if (!alias.empty()) return alias;
    return name.empty() ? module.substr(0, module.find('.')) : name;
  }
};

struct Statement {
  uint32_t begin = 0;
  uint32_t end = 0;  // behind its line break
  bool has_comment = false;
  std::vector<Item> items;
};

class ImportCleaner {
 public:
  ImportCleaner(const SourceFile& file, const std::vector<CodeRange>& unused, CodeIndex* index)
      : file_(file), text_(file.text), unused_(unused), index_(index) {
    index->ListFiles([&](const std::string& path) {
      if (absl::EndsWith(path, ".py")) modules_.insert(ModuleName(path));
    });
  }

  absl::StatusOr<ImportRemoval> Clean() {
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file_.grammar, text_));
    for (const TSNode node : NamedChildren(tree.root())) {
      if (!IsNode(node, "import_statement") && !IsNode(node, "import_from_statement")) continue;
      if (ts_node_has_error(node)) continue;
      Statement statement = Read(node);
      if (!StandsAlone(node, &statement)) continue;
      bool changes = false;
      for (Item& item : statement.items) {
        if (!IsUnused(item)) continue;
        const std::string why =
            statement.has_comment ? "a comment stands beside it" : WhyKept(item);
        item.is_removed = why.empty();
        changes |= item.is_removed;
        if (!why.empty()) {
          found_.kept.push_back(
              absl::StrCat(item.Known(), " in line ", file_.PlaceOf(item.begin).line, ": ", why));
        }
      }
      if (changes) AddEdits(statement);
    }
    return std::move(found_);
  }

 private:
  Statement Read(TSNode node) const {
    Statement statement;
    statement.begin = BeginOf(node);
    const TSNode module = FieldOf(node, "module_name");
    WalkTree(node, [&](TSNode part) {
      statement.has_comment |= IsComment(part);
      return true;
    });
    for (uint32_t i = 0; i < ts_node_child_count(node); ++i) {
      const char* const field = ts_node_field_name_for_child(node, i);
      if (field == nullptr || absl::string_view(field) != "name") continue;
      const TSNode part = ts_node_child(node, i);
      const TSNode own = IsNode(part, "aliased_import") ? FieldOf(part, "name") : part;
      Item item{BeginOf(part), EndOf(part)};
      const bool is_from = !ts_node_is_null(module);
      item.module = std::string(TextOf(is_from ? module : own, text_));
      if (is_from) item.name = std::string(TextOf(own, text_));
      const TSNode alias = FieldOf(part, "alias");
      if (!ts_node_is_null(alias)) item.alias = std::string(TextOf(alias, text_));
      statement.items.push_back(std::move(item));
    }
    return statement;
  }

  // Whether it has its lines for itself, but for a comment.
  bool StandsAlone(TSNode node, Statement* statement) const {
    const size_t before = text_.substr(0, statement->begin).rfind('\n') + 1;  // npos: 0
    absl::string_view head = text_.substr(before, statement->begin - before);
    absl::ConsumePrefix(&head, "\xEF\xBB\xBF");
    if (!head.empty()) return false;
    const size_t line_end = std::min(text_.find('\n', EndOf(node)), text_.size());
    const absl::string_view tail =
        absl::StripAsciiWhitespace(text_.substr(EndOf(node), line_end - EndOf(node)));
    statement->has_comment |= absl::StartsWith(tail, "#");
    statement->end = static_cast<uint32_t>(std::min(line_end + 1, text_.size()));
    return tail.empty() || statement->has_comment;
  }

  bool IsUnused(const Item& item) const {
    return std::any_of(unused_.begin(), unused_.end(), [&](const CodeRange& range) {
      return range.path == file_.path && range.begin >= item.begin && range.end <= item.end;
    });
  }

  // "": nothing speaks against its removal.
  std::string WhyKept(const Item& item) {
    if (HasEffect(item)) return "loading its module may have an effect";
    if (!item.alias.empty() && item.alias == item.name) return "it is exported under its own name";
    const std::string known = item.Known();
    const bool is_parameter = std::any_of(
        file_.scopes.bindings.begin(), file_.scopes.bindings.end(),
        [&](const auto& b) { return b.kind == BindingKind::kParameter && b.name == known; });
    if (is_parameter) return "a parameter has its name, so it may be a fixture";
    for (const char* const quote : {"\"", "'"}) {
      if (absl::StrContains(text_, absl::StrCat(quote, known, quote))) {
        return "a string of the file names it";
      }
    }
    const std::string user = UserOf(known);
    return user.empty() ? "" : absl::StrCat(ToUtf8(user), " takes it from this file");
  }

  // Only of the standard library is it known that loading it does nothing else.
  bool HasEffect(const Item& item) const {
    // `import logging.handlers` makes the module a member of another one.
    const bool is_nested = item.name.empty() && item.module.find('.') != std::string::npos;
    if (is_nested) return true;
    const std::string top = item.module.substr(0, item.module.find('.'));
    return modules_.count(top) > 0 || !FindLanguageFamily("python")->IsLibraryModule(top);
  }

  // A file that knows `name` as a member of this module; "".
  std::string UserOf(const std::string& name) {
    const std::string module = ModuleName(file_.path);
    for (const auto& other : index_->FilesWith(name)) {
      if (other->path == file_.path ||
          !LanguageBackendOf(other->language.id).generation.imports_dotted_modules)
        continue;
      if (!HoldsWord(other->text, module)) continue;
      std::set<std::string> aliases = {module};
      const auto tree = SyntaxTree::Parse(other->grammar, other->text);
      if (!tree.ok()) return other->path;
      for (const Import& import : FindImports(other->grammar, *tree, other->text)) {
        const bool is_taken = import.name == name || import.name == "*";
        if (LastPart(import.module) == module && is_taken) return other->path;
        const bool is_module = import.name == module || LastPart(import.module) == module;
        if (is_module && !import.alias.empty()) aliases.insert(import.alias);
      }
      // As an attribute, or in a string such as that of mock.patch.
      for (const std::string& alias : aliases) {
        if (HoldsWord(other->text, absl::StrCat(alias, ".", name))) return other->path;
      }
    }
    return "";
  }

  void AddEdits(const Statement& statement) {
    const std::vector<Item>& items = statement.items;
    const bool is_whole =
        std::all_of(items.begin(), items.end(), [](const Item& item) { return item.is_removed; });
    if (is_whole) {
      found_.edits.push_back({statement.begin, statement.end, ""});
      return;
    }
    for (size_t i = 0; i < items.size();) {
      size_t next = i;
      while (next < items.size() && items[next].is_removed) ++next;
      if (next > i && next < items.size()) {
        found_.edits.push_back({items[i].begin, items[next].begin, ""});
      }
      if (next > i && next == items.size()) {
        found_.edits.push_back({items[i - 1].end, items[next - 1].end, ""});
      }
      i = next + 1;
    }
  }

  const SourceFile& file_;
  const absl::string_view text_;
  const std::vector<CodeRange>& unused_;
  CodeIndex* const index_;
  std::set<std::string> modules_;  // of the project, without their packages
  ImportRemoval found_;
};

}  // namespace

absl::StatusOr<ImportRemoval> RemoveUnusedImports(const SourceFile& file,
                                                  const std::vector<CodeRange>& unused,
                                                  CodeIndex* index) {
  return ImportCleaner(file, unused, index).Clean();
}

}  // namespace stile

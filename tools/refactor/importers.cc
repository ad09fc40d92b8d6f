#include "tools/refactor/importers.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/import_fixups.h"
#include "tools/index/code_index.h"
#include "tools/index/module_map.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/language_family.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

const GenerationFacts& FactsOf(const SourceFile& file) {
  return LanguageBackendOf(file.language.id).generation;
}

// Without one of a list: with the comma behind it, or of the last with the one before it.
TextEdit WithoutItem(TSNode item, absl::string_view text) {
  uint32_t begin = BeginOf(item);
  uint32_t end = EndOf(item);
  size_t behind = text.find_first_not_of(" \t\r\n", end);
  if (behind != absl::string_view::npos && text[behind] == ',') {
    behind = text.find_first_not_of(" \t", behind + 1);
    // A line of its own goes with it.
    const size_t line = LineBegin(text, begin);
    const bool own_line = absl::StripAsciiWhitespace(text.substr(line, begin - line)).empty();
    if (own_line && behind < text.size() && (text[behind] == '\n' || text[behind] == '\r')) {
      begin = static_cast<uint32_t>(line);
      behind = text.find('\n', behind) + 1;
    }
    return {begin, static_cast<uint32_t>(behind), ""};
  }
  const size_t before = text.find_last_not_of(" \t\r\n", begin - 1);
  if (before != absl::string_view::npos && text[before] == ',') {
    begin = static_cast<uint32_t>(before);
  }
  return {begin, end, ""};
}

bool SharesLine(TSNode statement, absl::string_view text) {
  const size_t line = LineBegin(text, BeginOf(statement));
  if (!absl::StripAsciiWhitespace(text.substr(line, BeginOf(statement) - line)).empty()) {
    return true;
  }
  const size_t newline = text.find('\n', EndOf(statement));
  const absl::string_view rest = text.substr(
      EndOf(statement), newline == absl::string_view::npos ? newline : newline - EndOf(statement));
  return !absl::StripAsciiWhitespace(rest).empty();
}

class Importers {
 public:
  Importers(const SourceFile& from, const std::string& name, const std::string& to,
            const Resolution& resolution, CodeIndex* index, EditPlan* plan)
      : from_(from),
        name_(name),
        to_(to),
        index_(index),
        plan_(*plan),
        modules_(index->workspace()) {
    for (const auto& file : resolution.files) paths_.insert(file->path);
  }

  void Follow(const SourceFile& file) {
    if (file.path == from_.path || !absl::StrContains(file.text, name_)) return;
    const bool is_dotted = FactsOf(from_).imports_dotted_modules;
    if (is_dotted ? !FactsOf(file).imports_dotted_modules : !FactsOf(file).imports_files) return;
    const auto tree = SyntaxTree::Parse(file.grammar, file.text);
    if (!tree.ok()) return;
    WalkTree(tree->root(), [&](TSNode node) {
      const absl::string_view type = TypeOf(node);
      if (is_dotted) {
        if (type == "import_from_statement") FollowPython(file, node);
      } else if (type == "import_statement" || type == "export_statement") {
        FollowScript(file, node);
      }
      return is_dotted || IsNode(node, "program");
    });
  }

 private:
  struct Statement {
    TSNode node{};
    TSNode module{};            // as written, of a string the part between the quotes
    std::vector<TSNode> items;  // names that it takes, with their aliases
    TSNode item{};              // the one that moves; null: none
    bool has_others = false;    // a default or a whole module beside the list
  };

  // Paths as TypeScript and Node look for them.
  void FollowScript(const SourceFile& file, TSNode node) {
    Statement statement;
    statement.node = node;
    const TSNode source = FieldOf(node, "source");
    if (ts_node_is_null(source) || EndOf(source) - BeginOf(source) < 3) return;
    const std::string written =
        file.text.substr(BeginOf(source) + 1, EndOf(source) - BeginOf(source) - 2);
    if (modules_.Means(file, written, from_.path) != ModuleMap::Answer::kYes) return;
    WalkTree(node, [&](TSNode inner) {
      const absl::string_view type = TypeOf(inner);
      if (type == "import_specifier" || type == "export_specifier") {
        statement.items.push_back(inner);
        if (TextOf(FieldOf(inner, "name"), file.text) == name_) statement.item = inner;
        return false;
      }
      statement.has_others |=
          type == "namespace_import" || type == "namespace_export" ||
          (type == "identifier" && IsNode(ts_node_parent(inner), "import_clause"));
      return true;
    });
    std::string path = RelativePath(DirName(file.path), to_);
    if (!absl::StartsWith(path, "../")) path = absl::StrCat("./", path);
    path = absl::StrCat(path.substr(0, path.rfind('.')), NewExtension(file, written));
    const std::string quote = file.text.substr(BeginOf(source), 1);
    Apply(file, statement, source, absl::StrCat(quote, path, quote));
  }

  // The extension with which an import names the new file. `written` names the old file. Without an
  // extension there, the answer is "". With the extension of the old file, it is that of the new
  // file. Otherwise it is the extension of the JavaScript that TypeScript makes of the new file.
  std::string NewExtension(const SourceFile& file, absl::string_view written) const {
    const std::string own = to_.substr(to_.rfind('.'));
    const std::string old = from_.path.substr(from_.path.rfind('.'));
    const std::string base = BaseName(std::string(written));
    constexpr std::array<absl::string_view, 8> kExtensions = {".ts", ".tsx", ".mts", ".cts",
                                                              ".js", ".jsx", ".mjs", ".cjs"};
    const bool has_extension =
        std::any_of(kExtensions.begin(), kExtensions.end(),
                    [&](absl::string_view known) { return absl::EndsWith(base, known); });
    // Behind a name of the settings, Node wants one; for TypeScript, the compiler will tell.
    const bool is_typed = LanguageBackendOf(file.language.id).naming.has_declaration_files;
    if (!has_extension) return IsRelativeModule(written) || is_typed ? "" : own;
    if (absl::EndsWith(base, old)) return own;
    return own == ".mts" ? ".mjs" : own == ".cts" ? ".cjs" : ".js";
  }

  void FollowPython(const SourceFile& file, TSNode node) {
    Statement statement;
    statement.node = node;
    const TSNode module = FieldOf(node, "module_name");
    // A function that imports when it runs may be shown another module by its test.
    if (ts_node_is_null(module) || !IndentationAt(file.text, BeginOf(node)).empty()) return;
    const std::string written(TextOf(module, file.text));
    const std::optional<std::string> renamed = NewModule(file, written);
    if (!renamed.has_value()) return;
    for (const TSNode child : NamedChildren(node)) {
      if (BeginOf(child) <= BeginOf(module) || IsComment(child)) continue;
      if (IsNode(child, "wildcard_import")) return;
      statement.items.push_back(child);
      const TSNode taken = IsNode(child, "aliased_import") ? FieldOf(child, "name") : child;
      if (TextOf(taken, file.text) == name_) statement.item = child;
    }
    Apply(file, statement, module, *renamed);
  }

  // The module of the new file, written as that of the old one is; nullopt: another module.
  std::optional<std::string> NewModule(const SourceFile& file, const std::string& written) const {
    const std::string stem = std::string(absl::StripSuffix(from_.path, ".py"));
    const std::string new_stem = std::string(absl::StripSuffix(BaseName(to_), ".py"));
    const size_t dots = std::min(written.find_first_not_of('.'), written.size());
    const std::string name = written.substr(dots);
    if (name.empty()) return std::nullopt;  // the package itself
    const std::string path = absl::StrReplaceAll(name, {{".", "/"}});
    if (dots > 0) {
      std::string folder = DirName(file.path);
      for (size_t i = 1; i < dots; ++i) folder = DirName(folder);
      if (CleanPath(JoinPath(folder, path)) != stem) return std::nullopt;
    } else if ((stem != path && !absl::EndsWith(stem, "/" + path)) ||
               CountOf("/" + path + ".py") > 1 ||
               FindLanguageFamily("python")->IsLibraryModule(name)) {
      return std::nullopt;  // another one, one of several folders, or of the standard library
    } else {
      // A module of a package is named with the package.
      const std::string root = stem == path ? "" : stem.substr(0, stem.size() - path.size() - 1);
      if (!root.empty() && index_->Open(JoinPath(root, "__init__.py")).ok()) return std::nullopt;
    }
    const size_t last = name.rfind('.');
    return absl::StrCat(written.substr(0, dots),
                        last == std::string::npos ? "" : name.substr(0, last + 1), new_stem);
  }

  size_t CountOf(const std::string& end) const {
    return static_cast<size_t>(
        std::count_if(paths_.begin(), paths_.end(),
                      [&](const std::string& path) { return absl::EndsWith("/" + path, end); }));
  }

  // `module` is replaced where nothing else is taken; else the name gets a statement of its own.
  void Apply(const SourceFile& file, const Statement& statement, TSNode module,
             const std::string& new_module) {
    if (ts_node_is_null(statement.item)) return;
    bool is_plain = !absl::StrContains(TextOf(statement.node, file.text), "\\");
    WalkTree(statement.node, [&](TSNode node) {
      is_plain = is_plain && !IsComment(node);
      return is_plain;
    });
    if (!is_plain) return;
    if (statement.items.size() == 1 && !statement.has_others) {
      plan_.Edit(file, {BeginOf(module), EndOf(module), new_module});
      return;
    }
    const absl::string_view text = file.text;
    if (statement.items.size() == 1 || SharesLine(statement.node, text)) return;
    const std::string item(TextOf(statement.item, text));
    const absl::string_view indent = IndentationAt(text, BeginOf(statement.node));
    std::string added;
    if (FactsOf(from_).imports_dotted_modules) {
      added = absl::StrCat("from ", new_module, " import ", item);
    } else {
      const absl::string_view whole = TextOf(statement.node, text);
      const absl::string_view word =
          IsNode(statement.node, "import_statement") ? "import" : "export";
      const bool is_type =
          absl::StartsWith(absl::StripAsciiWhitespace(whole.substr(word.size())), "type ");
      const bool is_spaced = text[EndOf(statement.item)] == ' ' || absl::StrContains(whole, "{ ") ||
                             absl::StrContains(whole, "\n");
      const absl::string_view gap = is_spaced ? " " : "";
      added = absl::StrCat(word, is_type ? " type" : "", " {", gap, item, gap, "} from ",
                           new_module, absl::EndsWith(whole, ";") ? ";" : "");
    }
    plan_.Edit(file, WithoutItem(statement.item, text));
    const absl::string_view newline = absl::StrContains(text, "\r\n") ? "\r\n" : "\n";
    plan_.Edit(
        file, {EndOf(statement.node), EndOf(statement.node), absl::StrCat(newline, indent, added)});
  }

  const SourceFile& from_;
  const std::string& name_;
  const std::string& to_;
  CodeIndex* const index_;
  EditPlan& plan_;
  ModuleMap modules_;
  std::set<std::string> paths_;
};

}  // namespace

void FollowMovedName(const SourceFile& from, const std::string& name, const std::string& to,
                     const Resolution& resolution, CodeIndex* index, EditPlan* plan) {
  Importers importers(from, name, to, resolution, index, plan);
  for (const auto& file : resolution.files) importers.Follow(*file);
}

}  // namespace stile

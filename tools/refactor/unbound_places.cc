#include "tools/refactor/unbound_places.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/es_modules.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

bool IsMethod(const Binding& binding) {
  return binding.kind == BindingKind::kFunction || binding.kind == BindingKind::kMethod;
}

// The path in `require("./parser")`; "" for other expressions.
absl::string_view RequiredPath(TSNode node, absl::string_view text) {
  const TSNode arguments = FieldOf(node, "arguments");
  if (!IsNode(node, "call_expression") || TextOf(FieldOf(node, "function"), text) != "require" ||
      ts_node_named_child_count(arguments) != 1) {
    return "";
  }
  const TSNode path = ts_node_named_child(arguments, 0);
  if (!IsNode(path, "string") || EndOf(path) < BeginOf(path) + 2) return "";
  return text.substr(BeginOf(path) + 1, EndOf(path) - BeginOf(path) - 2);
}

// … or of the module that a variable of the file holds: `const parser = require("./parser")`.
absl::string_view ModuleIn(TSNode value, const SourceFile& file, const SyntaxTree& tree) {
  if (!IsNode(value, "identifier")) return RequiredPath(value, file.text);
  for (const Binding& binding : file.scopes.bindings) {
    if (binding.name != TextOf(value, file.text)) continue;
    const TSNode name = NodeAt(tree, binding.name_begin,
                               binding.name_begin + static_cast<uint32_t>(binding.name.size()));
    const TSNode declarator = ts_node_parent(name);
    if (!SameNode(FieldOf(declarator, "name"), name)) continue;
    const absl::string_view path = RequiredPath(FieldOf(declarator, "value"), file.text);
    if (!path.empty()) return path;
  }
  return "";
}

// The expression whose member or property of the name is taken at `name`; null: it is another use.
TSNode TakenFrom(TSNode name) {
  const TSNode parent = ts_node_parent(name);
  if (IsNode(parent, "member_expression") && SameNode(FieldOf(parent, "property"), name)) {
    const TSNode object = FieldOf(parent, "object");
    return IsNode(object, "call_expression") ? object : TSNode{};
  }
  TSNode property = name;
  if (IsNode(parent, "pair_pattern") && SameNode(FieldOf(parent, "key"), name)) property = parent;
  if (IsNode(parent, "object_assignment_pattern")) property = parent;
  const TSNode pattern = ts_node_parent(property);
  if (!IsNode(pattern, "object_pattern")) return TSNode{};
  const TSNode declarator = ts_node_parent(pattern);
  return SameNode(FieldOf(declarator, "name"), pattern) ? FieldOf(declarator, "value") : TSNode{};
}

bool IsExportedKey(const Declaration& target) {
  const absl::string_view before =
      absl::string_view(target.file->text).substr(0, target.name_begin());
  return absl::EndsWith(before, "exports.") || IsCommonJsExport(*target.file, target.name_begin());
}

class RequiredNameFinder {
 public:
  RequiredNameFinder(const Resolution& symbol, const std::string& new_name)
      : symbol_(symbol), name_(symbol.targets[0].name()), new_name_(new_name) {}

  std::vector<RenameCandidate> Find() {
    for (const auto& file : symbol_.files) {
      const bool may_require = LanguageBackendOf(file->language.id).generation.imports_files &&
                               absl::StrContains(file->text, "require");
      if (may_require) AddFile(file);
    }
    return std::move(found_);
  }

 private:
  void AddFile(const std::shared_ptr<const SourceFile>& file) {
    const auto tree = SyntaxTree::Parse(file->grammar, file->text);
    if (!tree.ok()) return;
    for (const Occurrence& occurrence :
         FindOccurrences(file->grammar, file->scopes, file->text, name_)) {
      const TSNode name = NodeAt(*tree, occurrence.begin, occurrence.end);
      const TSNode value = TakenFrom(name);
      if (ts_node_is_null(value)) continue;
      const absl::string_view module = ModuleIn(value, *file, *tree);
      if (!absl::StartsWith(module, ".")) continue;
      Add(file, occurrence, name, module);
    }
  }

  void Add(const std::shared_ptr<const SourceFile>& file, const Occurrence& occurrence, TSNode name,
           absl::string_view module) {
    const std::vector<std::string> paths = ModulePaths(
        CleanPath(JoinPath(DirName(file->path), std::string(module))), /*in_typescript=*/false);
    const bool is_it =
        std::any_of(symbol_.targets.begin(), symbol_.targets.end(), [&](const Declaration& target) {
          return std::find(paths.begin(), paths.end(), target.file->path) != paths.end();
        });
    // A module that holds the name itself declares another one, or hands this one on.
    const bool has_name =
        std::any_of(symbol_.files.begin(), symbol_.files.end(), [&](const auto& other) {
          return std::find(paths.begin(), paths.end(), other->path) != paths.end();
        });
    if (!is_it && has_name) return;
    RenameCandidate candidate{file, occurrence, is_it ? Certainty::kExact : Certainty::kLikely,
                              false};
    candidate.is_renamed = is_it;
    candidate.occurrence.role = OccurrenceRole::kRaw;
    const bool is_short = absl::StartsWith(TypeOf(name), "shorthand");
    candidate.replacement = is_short ? absl::StrCat(new_name_, ": ", name_) : new_name_;
    found_.push_back(std::move(candidate));
  }

  const Resolution& symbol_;
  const std::string name_;
  const std::string& new_name_;
  std::vector<RenameCandidate> found_;
};

}  // namespace

std::vector<RenameCandidate> AnonymousMembers(const Resolution& symbol) {
  const std::string name = symbol.targets[0].name();
  std::vector<RenameCandidate> found;
  for (const auto& file : symbol.files) {
    if (!LanguageBackendOf(file->language.id).naming.anonymous_classes) continue;
    const auto is_hidden = [&](const Binding& binding) {
      return binding.name == name && IsMethod(binding) &&
             std::none_of(file->symbols.begin(), file->symbols.end(), [&](const Symbol& other) {
               return other.name_begin == binding.name_begin;
             });
    };
    for (const Occurrence& occurrence :
         FindOccurrences(file->grammar, file->scopes, file->text, name)) {
      if (occurrence.binding < 0) continue;
      const Binding& binding = file->scopes.bindings[static_cast<size_t>(occurrence.binding)];
      if (!is_hidden(binding)) continue;
      RenameCandidate candidate{file, occurrence, Certainty::kLikely, false};
      candidate.group = occurrence.binding;
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

std::vector<RenameCandidate> UnnamedInterfaces(const Resolution& symbol) {
  const std::string name = symbol.targets[0].name();
  std::vector<RenameCandidate> found;
  for (const auto& file : symbol.files) {
    if (!LanguageBackendOf(file->language.id).facts.implicit_interfaces) continue;
    for (const Occurrence& occurrence :
         FindOccurrences(file->grammar, file->scopes, file->text, name)) {
      const absl::string_view before = absl::string_view(file->text).substr(0, occurrence.begin);
      const size_t head = before.rfind("interface");
      const bool is_inside =
          head != absl::string_view::npos && !absl::StrContains(before.substr(head), "}");
      const bool is_method =
          occurrence.role == OccurrenceRole::kDefinition &&
          std::none_of(file->symbols.begin(), file->symbols.end(),
                       [&](const Symbol& other) { return other.name_begin == occurrence.begin; });
      if (!is_method || !is_inside) continue;
      RenameCandidate candidate{file, occurrence, Certainty::kLikely, false};
      candidate.is_of_unnamed = true;
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

std::vector<RenameCandidate> RequiredNames(const Resolution& symbol, const std::string& new_name) {
  const bool is_exported = std::any_of(
      symbol.targets.begin(), symbol.targets.end(),
      [](const Declaration& target) { return target.symbol >= 0 && IsExportedKey(target); });
  return is_exported ? RequiredNameFinder(symbol, new_name).Find() : std::vector<RenameCandidate>();
}

}  // namespace stile

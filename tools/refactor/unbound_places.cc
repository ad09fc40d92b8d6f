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

// The expression whose property is taken at `name`; null: it is another use, or the object is what
// a parameter, a loop or an assignment gets.
TSNode TakenFrom(TSNode name) {
  const TSNode parent = ts_node_parent(name);
  if (IsNode(parent, "member_expression")) {
    return SameNode(FieldOf(parent, "property"), name) ? FieldOf(parent, "object") : TSNode{};
  }
  TSNode property = name;
  if (IsNode(parent, "pair_pattern") && SameNode(FieldOf(parent, "key"), name)) property = parent;
  if (IsNode(parent, "object_assignment_pattern")) property = parent;
  const TSNode pattern = ts_node_parent(property);
  const TSNode declarator = ts_node_parent(pattern);
  const bool is_declared =
      IsNode(pattern, "object_pattern") && SameNode(FieldOf(declarator, "name"), pattern);
  return is_declared ? FieldOf(declarator, "value") : TSNode{};
}

// Whether the name is the key of a pattern: `{ parse }`, `{ parse: read }`.
bool IsKeyOfPattern(TSNode name) {
  const TSNode parent = ts_node_parent(name);
  return IsNode(name, "shorthand_property_identifier_pattern") ||
         (IsNode(parent, "pair_pattern") && SameNode(FieldOf(parent, "key"), name));
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
      if (LanguageBackendOf(file->language.id).generation.imports_files) AddFile(file);
    }
    return std::move(found_);
  }

 private:
  enum class Origin { kTarget, kOther, kUnknown };

  void AddFile(const std::shared_ptr<const SourceFile>& file) {
    const auto tree = SyntaxTree::Parse(file->grammar, file->text);
    if (!tree.ok()) return;
    for (const Occurrence& occurrence :
         FindOccurrences(file->grammar, file->scopes, file->text, name_)) {
      const TSNode name = NodeAt(*tree, occurrence.begin, occurrence.end);
      const TSNode object = TakenFrom(name);
      const bool is_key = IsKeyOfPattern(name);
      if (ts_node_is_null(object) && !is_key) continue;
      const Origin origin =
          ts_node_is_null(object) ? Origin::kUnknown : OriginOf(object, *file, *tree);
      // A member of an unknown object is among the candidates already.
      const bool has_types = LanguageBackendOf(file->language.id).naming.has_declaration_files;
      if (origin == Origin::kOther || (origin == Origin::kUnknown && (!is_key || has_types))) {
        continue;
      }
      const bool is_it = origin == Origin::kTarget;
      RenameCandidate candidate{file, occurrence, is_it ? Certainty::kExact : Certainty::kLikely,
                                false};
      candidate.is_renamed = is_it;
      candidate.occurrence.role = OccurrenceRole::kRaw;
      const bool is_short = absl::StartsWith(TypeOf(name), "shorthand");
      candidate.replacement = is_short ? absl::StrCat(new_name_, ": ", name_) : new_name_;
      found_.push_back(std::move(candidate));
    }
  }

  // Whether the object is the module of the targets.
  Origin OriginOf(TSNode object, const SourceFile& file, const SyntaxTree& tree) const {
    if (IsNode(object, "call_expression")) return OriginOfCall(object, file);
    if (!IsNode(object, "identifier")) return Origin::kUnknown;
    const std::string variable(TextOf(object, file.text));
    for (const Occurrence& use : FindOccurrences(file.grammar, file.scopes, file.text, variable)) {
      if (use.begin != BeginOf(object)) continue;
      if (use.binding < 0) return Origin::kOther;  // of the language: JSON, process
      return OriginOfVariable(file.scopes.bindings[static_cast<size_t>(use.binding)], file, tree);
    }
    return Origin::kUnknown;
  }

  // `const parser = require("./parser")`, `import parser from "./parser.js"`.
  Origin OriginOfVariable(const Binding& binding, const SourceFile& file,
                          const SyntaxTree& tree) const {
    const TSNode name = NodeAt(tree, binding.name_begin, binding.name_end);
    if (binding.kind == BindingKind::kImport) {
      for (const ModuleStatements::Name& import : file.ImportsAndExports().names) {
        const bool is_whole = import.name == "default" || import.name == "*";
        if (import.is_export || import.alias != binding.name || !is_whole) continue;
        return OriginOfPath(import.module, file);
      }
    }
    const TSNode declarator = ts_node_parent(name);
    const TSNode declaration = ts_node_parent(declarator);
    const bool is_constant = IsNode(declaration, "lexical_declaration") &&
                             absl::StartsWith(TextOf(declaration, file.text), "const");
    if (!is_constant || !SameNode(FieldOf(declarator, "name"), name)) return Origin::kUnknown;
    const TSNode value = FieldOf(declarator, "value");
    return IsNode(value, "call_expression") ? OriginOfCall(value, file) : Origin::kUnknown;
  }

  Origin OriginOfCall(TSNode call, const SourceFile& file) const {
    const std::vector<Binding>& bindings = file.scopes.bindings;
    const bool has_own_require = std::any_of(bindings.begin(), bindings.end(),
                                             [](const auto& one) { return one.name == "require"; });
    const absl::string_view path = has_own_require ? "" : RequiredPath(call, file.text);
    return path.empty() ? Origin::kUnknown : OriginOfPath(std::string(path), file);
  }

  Origin OriginOfPath(const std::string& module, const SourceFile& file) const {
    // A package; the project's own has a name that settings give.
    if (!absl::StartsWith(module, ".")) {
      return absl::StrContains(module, '/') || absl::StartsWith(module, "#") ? Origin::kUnknown
                                                                             : Origin::kOther;
    }
    const bool is_folder = absl::EndsWith(module, "/") || absl::EndsWith(module, ".");
    const std::string path = CleanPath(JoinPath(DirName(file.path), module));
    for (const std::string& wanted : ModulePaths(path, /*in_typescript=*/false)) {
      if (is_folder && DirName(wanted) != path) continue;
      for (const Declaration& target : symbol_.targets) {
        if (target.file->path == wanted) return Origin::kTarget;
      }
      // The module holds the name: it declares another one, or hands this one on.
      const bool has_name = std::any_of(symbol_.files.begin(), symbol_.files.end(),
                                        [&](const auto& other) { return other->path == wanted; });
      if (has_name) return HandsOn(wanted) ? Origin::kUnknown : Origin::kOther;
    }
    return Origin::kUnknown;
  }

  // Whether the module takes the name from another one.
  bool HandsOn(const std::string& path) const {
    return std::any_of(symbol_.files.begin(), symbol_.files.end(), [&](const auto& file) {
      return file->path == path && (absl::StrContains(file->text, "require(") ||
                                    absl::StrContains(file->text, "import "));
    });
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
  const bool is_exported = std::all_of(
      symbol.targets.begin(), symbol.targets.end(),
      [](const Declaration& target) { return target.symbol >= 0 && IsExportedKey(target); });
  return is_exported ? RequiredNameFinder(symbol, new_name).Find() : std::vector<RenameCandidate>();
}

}  // namespace stile

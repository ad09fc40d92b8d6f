#include "tools/refactor/dependent_calls.h"

#include <algorithm>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "tools/extract/selection.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/call_arguments.h"

namespace stile {
namespace {

// The names of the template's parameters, and `auto`.
std::set<absl::string_view> TemplateNames(TSNode node, absl::string_view text) {
  std::set<absl::string_view> names = {"auto"};
  WalkTree(FieldOf(node, "parameters"), [&](TSNode inner) {
    const absl::string_view type = TypeOf(inner);
    if (type == "type_identifier" || type == "identifier") names.insert(TextOf(inner, text));
    return true;
  });
  return names;
}

// Whether the type that a parameter is declared with names one of `names`.
bool IsDeclaredWith(const SourceFile& file, const SyntaxTree& tree, const Binding& binding,
                    const std::set<absl::string_view>& names) {
  TSNode node = NodeAt(tree, binding.name_begin, binding.name_end);
  while (!ts_node_is_null(node) && !absl::EndsWith(TypeOf(node), "parameter_declaration")) {
    if (IsStatementContainer(node)) return false;
    node = ts_node_parent(node);
  }
  bool found = false;
  WalkTree(FieldOf(node, "type"), [&](TSNode inner) {
    found = found || (ts_node_child_count(inner) == 0 && names.count(TextOf(inner, file.text)) > 0);
    return !found;
  });
  return found;
}

// Whether an argument of the call is a parameter whose type depends on a template around it.
bool IsDependent(const SourceFile& file, const SyntaxTree& tree, const Occurrence& call) {
  const TSNode list = ArgumentsAt(tree, call.begin, call.end);
  if (ts_node_is_null(list)) return false;
  std::set<absl::string_view> names = {"auto"};
  for (TSNode node = ts_node_parent(list); !ts_node_is_null(node); node = ts_node_parent(node)) {
    if (IsNode(node, "template_declaration")) names.merge(TemplateNames(node, file.text));
  }
  const std::vector<BoundUse> uses = UsesIn(file, {BeginOf(list), EndOf(list)});
  return std::any_of(uses.begin(), uses.end(), [&](const BoundUse& use) {
    const Binding& binding = file.scopes.bindings[static_cast<size_t>(use.binding)];
    return binding.kind == BindingKind::kParameter && IsDeclaredWith(file, tree, binding, names);
  });
}

}  // namespace

bool HasDependentCall(const SourceFile& file, const std::string& name) {
  std::vector<Occurrence> calls;
  for (const Occurrence& use : FindOccurrences(file.grammar, file.scopes, file.text, name)) {
    if (use.is_call && use.role == OccurrenceRole::kReference) calls.push_back(use);
  }
  if (calls.empty()) return false;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok() || !CheckDepth(*tree).ok()) return false;
  return std::any_of(calls.begin(), calls.end(),
                     [&](const Occurrence& call) { return IsDependent(file, *tree, call); });
}

std::vector<Declaration> DependentTwins(const Declaration& function, const Resolution& resolution) {
  const auto is_free = [](const Declaration& other) {
    return other.symbol >= 0 && other.AsSymbol().kind == SymbolKind::kFunction;
  };
  if (!is_free(function) ||
      !LanguageBackendOf(function.file->language.id).naming.lookup_by_arguments) {
    return {};
  }
  std::vector<Declaration> twins;
  for (const Declaration& other : resolution.all) {
    if (is_free(other) && other.AsSymbol().container != function.AsSymbol().container &&
        SeeEachOther(other.file->language, function.file->language)) {
      twins.push_back(other);
    }
  }
  const bool is_called =
      !twins.empty() && std::any_of(resolution.files.begin(), resolution.files.end(),
                                    [&](const std::shared_ptr<const SourceFile>& file) {
                                      return HasDependentCall(*file, function.name());
                                    });
  return is_called ? twins : std::vector<Declaration>();
}

}  // namespace stile

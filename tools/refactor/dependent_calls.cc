#include "tools/refactor/dependent_calls.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/extract/selection.h"
#include "tools/index/code_index.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/call_arguments.h"

namespace stile {
namespace {

// The names that the list of a template declares. Defaults and constraints only use names.
std::set<absl::string_view> TemplateNames(TSNode node, absl::string_view text) {
  std::set<absl::string_view> names;
  for (const TSNode parameter : NamedChildren(FieldOf(node, "parameters"))) {
    const TSNode named = IsNode(parameter, "type_parameter_declaration") ||
                                 IsNode(parameter, "variadic_type_parameter_declaration") ||
                                 IsNode(parameter, "optional_type_parameter_declaration")
                             ? ts_node_named_child(parameter, 0)
                             : FieldOf(parameter, "declarator");
    if (!ts_node_is_null(named)) names.insert(TextOf(named, text));
  }
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

// The name spaces of the calls of `name` that are unqualified, stand in a template, and pass a
// parameter of the function whose type depends on the template.
std::vector<std::string> DependentCallsIn(const SourceFile& file, const std::string& name) {
  std::vector<Occurrence> calls;
  for (const Occurrence& use : FindOccurrences(file.grammar, file.scopes, file.text, name)) {
    if (use.is_call && use.role == OccurrenceRole::kReference) calls.push_back(use);
  }
  if (calls.empty()) return {};
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok() || !CheckDepth(*tree).ok()) return {};
  std::vector<std::string> spaces;
  for (const Occurrence& call : calls) {
    if (!IsDependent(file, *tree, call)) continue;
    const int caller = file.SymbolAround(call.begin);
    spaces.push_back(caller < 0 ? "" : file.symbols[static_cast<size_t>(caller)].container);
  }
  return spaces;
}

// Whether a parameter is of a type of the function's own name space.
bool TakesOwnType(const Declaration& function, const Resolution& resolution) {
  const Symbol& symbol = function.AsSymbol();
  const auto parameters = absl::string_view(function.file->text)
                              .substr(symbol.name_end, symbol.signature_end - symbol.name_end);
  return std::any_of(resolution.files.begin(), resolution.files.end(), [&](const auto& file) {
    return std::any_of(file->symbols.begin(), file->symbols.end(), [&](const Symbol& type) {
      return IsType(type.kind) && type.container == symbol.container &&
             HoldsWord(parameters, type.name);
    });
  });
}

// Whether a call in the name space `caller` finds a function of the name space `space` by its name.
bool IsAround(const std::string& space, const std::string& caller) {
  return space.empty() || caller == space || absl::StartsWith(caller, absl::StrCat(space, "."));
}

}  // namespace

std::vector<Declaration> DependentTwins(const Declaration& function, const Resolution& resolution) {
  const auto is_free = [](const Declaration& other) {
    return other.symbol >= 0 && other.AsSymbol().kind == SymbolKind::kFunction;
  };
  if (!is_free(function) ||
      !LanguageBackendOf(function.file->language.id).naming.lookup_by_arguments) {
    return {};
  }
  const bool is_alone =
      std::none_of(resolution.all.begin(), resolution.all.end(), [&](const Declaration& other) {
        return is_free(other) && other.AsSymbol().container != function.AsSymbol().container;
      });
  if (is_alone) return {};
  std::vector<std::string> callers;
  for (const auto& file : resolution.files) {
    if (!SeeEachOther(file->language, function.file->language)) continue;
    for (std::string& space : DependentCallsIn(*file, function.name())) {
      callers.push_back(std::move(space));
    }
  }
  const auto is_found = [&](const Declaration& other) {
    const std::string& space = other.AsSymbol().container;
    return TakesOwnType(other, resolution) ||
           std::any_of(callers.begin(), callers.end(),
                       [&](const std::string& caller) { return IsAround(space, caller); });
  };
  std::vector<Declaration> twins;
  if (callers.empty() || !is_found(function)) return twins;
  for (const Declaration& other : resolution.all) {
    const bool is_other =
        is_free(other) && other.AsSymbol().container != function.AsSymbol().container;
    if (is_other && SeeEachOther(other.file->language, function.file->language) &&
        is_found(other)) {
      twins.push_back(other);
    }
  }
  return twins;
}

}  // namespace stile

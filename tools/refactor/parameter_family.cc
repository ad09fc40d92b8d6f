#include "tools/refactor/parameter_family.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

bool IsNamedByCalls(const Declaration& parameter) {
  if (parameter.symbol >= 0 || parameter.binding < 0) return false;
  const NamingFacts& naming = LanguageBackendOf(parameter.file->language.id).naming;
  const Binding& binding = parameter.file->scopes.bindings[static_cast<size_t>(parameter.binding)];
  return naming.gradual_types && naming.has_named_arguments &&
         binding.kind == BindingKind::kParameter;
}

// Of the function whose parameter stands at the offset: where its name begins. nullopt: a parameter
// of a lambda, one of `*rest`, or the object of a method.
std::optional<uint32_t> FunctionOf(const SyntaxTree& tree, const Binding& parameter,
                                   absl::string_view text) {
  TSNode node = NodeAt(tree, parameter.name_begin, parameter.name_end);
  while (!ts_node_is_null(node) && !IsNode(ts_node_parent(node), "parameters")) {
    if (IsNode(node, "lambda") || absl::EndsWith(TypeOf(node), "splat_pattern")) {
      return std::nullopt;
    }
    node = ts_node_parent(node);
  }
  if (ts_node_is_null(node)) return std::nullopt;
  const TSNode function = ts_node_parent(ts_node_parent(node));
  const TSNode outer = ts_node_parent(function);
  const bool is_decorated = IsNode(outer, "decorated_definition");
  const TSNode block = is_decorated ? ts_node_parent(outer) : outer;
  const bool is_method = IsNode(ts_node_parent(block), "class_definition");
  const bool is_static = is_decorated && absl::StrContains(TextOf(outer, text), "@staticmethod");
  const bool is_object =
      is_method && !is_static && SameNode(ts_node_named_child(ts_node_parent(node), 0), node);
  if (is_object) return std::nullopt;
  return BeginOf(FieldOf(function, "name"));
}

// The symbol that is the function of the parameter; -1.
int SymbolOf(const SourceFile& file, const Binding& parameter) {
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return -1;
  const std::optional<uint32_t> name = FunctionOf(*tree, parameter, file.text);
  for (size_t i = 0; name.has_value() && i < file.symbols.size(); ++i) {
    if (file.symbols[i].name_begin == *name) return static_cast<int>(i);
  }
  return -1;
}

std::optional<Declaration> ParameterOf(const Declaration& function, const std::string& name) {
  const SourceFile& file = *function.file;
  const Symbol& symbol = function.AsSymbol();
  for (size_t i = 0; i < file.scopes.bindings.size(); ++i) {
    const Binding& binding = file.scopes.bindings[i];
    const bool is_inside = symbol.begin <= binding.name_begin && binding.name_end <= symbol.end;
    const bool is_it = binding.name == name && binding.kind == BindingKind::kParameter &&
                       is_inside && SymbolOf(file, binding) == function.symbol;
    if (is_it) return Declaration{function.file, -1, static_cast<int>(i)};
  }
  return std::nullopt;
}

// Calls of one file that may reach a function.
class Calls {
 public:
  // `callees`: names by which calls may mean the function.
  Calls(std::shared_ptr<const SourceFile> file, const std::set<std::string>& callees,
        const std::string& old_name, const std::string& new_name, CodeIndex* index)
      : file_(std::move(file)),
        callees_(callees),
        old_name_(old_name),
        new_name_(new_name),
        index_(index) {}

  void Find(std::vector<RenameCandidate>* found) {
    const auto tree = SyntaxTree::Parse(file_->grammar, file_->text);
    if (!tree.ok()) return;
    const absl::string_view text = file_->text;
    bool spreads = false;
    std::vector<CodeRange> keys;
    std::vector<TSNode> open = {tree->root()};
    while (!open.empty()) {
      const TSNode node = open.back();
      open.pop_back();
      for (const TSNode child : NamedChildren(node)) open.push_back(child);
      if (IsNode(node, "dictionary_splat")) spreads = spreads || IsOfCallee(node);
      if (IsNode(node, "pair") && IsKey(FieldOf(node, "key"))) {
        const uint32_t begin = BeginOf(FieldOf(node, "key")) + 1;
        keys.push_back({file_->path, begin, begin + static_cast<uint32_t>(old_name_.size())});
      }
      const TSNode name = FieldOf(node, "name");
      if (IsNode(node, "keyword_argument") && TextOf(name, text) == old_name_ && MayReach(node)) {
        Add(BeginOf(name), found);
      }
    }
    for (const CodeRange& key : spreads ? keys : std::vector<CodeRange>()) Add(key.begin, found);
  }

 private:
  bool IsKey(TSNode key) const {
    const absl::string_view text = TextOf(key, file_->text);
    return IsNode(key, "string") && text.size() == old_name_.size() + 2 &&
           text.substr(1, old_name_.size()) == old_name_;
  }

  void Add(uint32_t begin, std::vector<RenameCandidate>* found) const {
    RenameCandidate candidate{file_, {}, Certainty::kLikely, false};
    candidate.occurrence.begin = begin;
    candidate.occurrence.end = begin + static_cast<uint32_t>(old_name_.size());
    candidate.occurrence.role = OccurrenceRole::kRaw;
    candidate.replacement = new_name_;
    found->push_back(std::move(candidate));
  }

  // The last name of what is called with the argument: "scale" of `shape.scale(…)`.
  std::string CalleeOf(TSNode argument) const {
    TSNode callee = FieldOf(ts_node_parent(ts_node_parent(argument)), "function");
    if (IsNode(callee, "attribute")) callee = FieldOf(callee, "attribute");
    return IsNode(callee, "identifier") ? std::string(TextOf(callee, file_->text)) : "";
  }

  bool IsOfCallee(TSNode argument) const { return callees_.count(CalleeOf(argument)) > 0; }

  bool MayReach(TSNode argument) {
    const std::string callee = CalleeOf(argument);
    if (callees_.count(callee) > 0) return true;
    const auto [known, is_new] = passes_on_.try_emplace(callee);
    if (is_new && !callee.empty()) known->second = PassesOn(callee);
    return known->second;
  }

  // Whether a function of the name hands arguments on that it does not declare.
  bool PassesOn(const std::string& callee) const {
    for (const auto& file : index_->FilesWith(callee)) {
      for (const Symbol& symbol : file->symbols) {
        if (symbol.name != callee || !absl::StrContains(file->Signature(symbol), "**")) continue;
        const auto body =
            absl::string_view(file->text).substr(symbol.begin, symbol.end - symbol.begin);
        if (std::any_of(callees_.begin(), callees_.end(),
                        [&](const std::string& name) { return HoldsWord(body, name); })) {
          return true;
        }
      }
    }
    return false;
  }

  const std::shared_ptr<const SourceFile> file_;
  const std::set<std::string>& callees_;
  const std::string& old_name_;
  const std::string& new_name_;
  CodeIndex* const index_;
  std::map<std::string, bool> passes_on_;  // by callee
};

}  // namespace

absl::StatusOr<std::vector<Declaration>> ParametersOfOverrides(const Declaration& parameter,
                                                               CodeIndex* index,
                                                               ResolvedBases* bases,
                                                               Resolver* resolver) {
  std::vector<Declaration> found;
  if (!IsNamedByCalls(parameter)) return found;
  const SourceFile& file = *parameter.file;
  const int symbol = SymbolOf(file, file.scopes.bindings[static_cast<size_t>(parameter.binding)]);
  const Declaration method{parameter.file, symbol, -1};
  if (symbol < 0 || !IsMember(method.AsSymbol().kind)) return found;
  STILE_ASSIGN_OR_RETURN(
      const Resolution methods,
      ResolveDeclarationAt(file.path, method.name_begin(), method.name(), index));
  std::map<CodePlace, Declaration> family = {{PlaceOf(method), method}};
  for (size_t known = 0; known < family.size();) {
    known = family.size();
    for (const Declaration& other : methods.all) {
      if (!AreAlike(method, other) || family.count(PlaceOf(other)) > 0) continue;
      STILE_ASSIGN_OR_RETURN(const bool is_related, IsOfFamily(other, family, bases, resolver));
      if (is_related) family.emplace(PlaceOf(other), other);
    }
  }
  for (const auto& [place, other] : family) {
    if (place == PlaceOf(method)) continue;
    if (const auto twin = ParameterOf(other, parameter.name())) found.push_back(*twin);
  }
  return found;
}

std::vector<RenameCandidate> PassedByName(const Declaration& parameter, const std::string& new_name,
                                          CodeIndex* index) {
  std::vector<RenameCandidate> found;
  if (!IsNamedByCalls(parameter)) return found;
  const SourceFile& own = *parameter.file;
  const int symbol = SymbolOf(own, own.scopes.bindings[static_cast<size_t>(parameter.binding)]);
  if (symbol < 0) return found;
  const Symbol& function = own.symbols[static_cast<size_t>(symbol)];
  std::set<std::string> callees = {function.name};
  // A constructor is called by the name of its class.
  const std::string owner = LastComponent(function.container);
  if (function.name == "__init__" && !owner.empty()) callees.insert(owner);
  for (const auto& file : index->FilesWith(parameter.name())) {
    if (!SeeEachOther(file->language, own.language)) continue;
    Calls(file, callees, parameter.name(), new_name, index).Find(&found);
  }
  return found;
}

}  // namespace stile

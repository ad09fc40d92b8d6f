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
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/type_relations.h"
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

bool IsPositional(TSNode parameter) {
  for (TSNode next = ts_node_next_named_sibling(parameter); !ts_node_is_null(next);
       next = ts_node_next_named_sibling(next)) {
    if (IsNode(next, "positional_separator")) return true;
  }
  return false;
}

// Where the name of the parameter's function begins. nullopt: no call gives the parameter by name
// (that of a lambda, `*rest`, the object of a method).
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
  // `def scale(value, /)`: what stands before the slash has no name for calls.
  if (IsPositional(node)) return std::nullopt;
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

// Methods of which no call means that of another class: constructors, and `__go`, whose name its
// class changes.
bool HasNameOfItsOwn(const std::string& method) {
  return absl::StartsWith(method, "__") &&
         (IsOneOf(method, {"__init__", "__new__", "__post_init__"}) ||
          !absl::EndsWith(method, "__"));
}

std::optional<Declaration> ParameterOf(const Declaration& function, const std::string& name) {
  const SourceFile& file = *function.file;
  const Symbol& symbol = function.AsSymbol();
  for (size_t i = 0; i < file.scopes.bindings.size(); ++i) {
    const Binding& binding = file.scopes.bindings[i];
    const bool is_inside = symbol.begin <= binding.name_begin && binding.name_end <= symbol.end;
    // `go = lambda self, factor: factor` is a method, too.
    const bool is_of_lambda = symbol.kind == SymbolKind::kField;
    const bool is_it = binding.name == name && binding.kind == BindingKind::kParameter &&
                       is_inside && (is_of_lambda || SymbolOf(file, binding) == function.symbol);
    if (is_it) return Declaration{function.file, -1, static_cast<int>(i)};
  }
  return std::nullopt;
}

std::vector<TSNode> NodesOf(const SyntaxTree& tree) {
  std::vector<TSNode> nodes = {tree.root()};
  for (size_t next = 0; next < nodes.size(); ++next) {
    for (const TSNode child : NamedChildren(nodes[next])) nodes.push_back(child);
  }
  return nodes;
}

// The call that an argument belongs to.
TSNode CallOf(TSNode argument) { return ts_node_parent(ts_node_parent(argument)); }

// The last name of the callee: "scale" of `shape.scale(…)`.
TSNode CalleeOf(TSNode call) {
  const TSNode callee = FieldOf(call, "function");
  return IsNode(callee, "attribute") ? FieldOf(callee, "attribute") : callee;
}

// Names by which calls mean the function: `__init__` and `__call__` are called by the name of the
// class, or of an object.
std::set<std::string> CalleesOf(const Symbol& function) {
  const std::string owner = LastComponent(function.container);
  return {absl::StartsWith(function.name, "__") && !owner.empty() ? owner : function.name};
}

bool HoldsOneOf(absl::string_view text, const std::set<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return HoldsWord(text, word); });
}

// Names by which a file knows one of `functions`: `from shapes import scale as enlarge`.
std::set<std::string> WithAliases(const SourceFile& file, const std::set<std::string>& functions) {
  std::set<std::string> names = functions;
  if (!absl::StrContains(file.text, " as ")) return names;
  for (const std::string& function : functions) {
    const std::string imported = absl::StrCat(function, " as ");
    for (size_t at = 0; (at = file.text.find(imported, at)) != std::string::npos;) {
      const bool is_whole = at == 0 || !IsIdentifierByte(file.text[at - 1]);
      at += imported.size();
      size_t end = at;
      while (end < file.text.size() && IsIdentifierByte(file.text[end])) ++end;
      if (is_whole && end > at) names.insert(file.text.substr(at, end - at));
    }
  }
  return names;
}

RenameCandidate LikelyAt(const std::shared_ptr<const SourceFile>& file, uint32_t begin,
                         const std::string& name, const std::string& new_name) {
  RenameCandidate candidate{file, {}, Certainty::kLikely, false};
  candidate.occurrence.begin = begin;
  candidate.occurrence.end = begin + static_cast<uint32_t>(name.size());
  candidate.occurrence.role = OccurrenceRole::kRaw;
  candidate.replacement = new_name;
  return candidate;
}

// The parameters called `name` of methods whose class fits the protocol of the method, or the other
// way round: one call may mean each of them.
std::vector<Declaration> ProtocolParameters(const Declaration& method, const std::string& name,
                                            CodeIndex* index) {
  std::vector<Declaration> found;
  const auto methods =
      ResolveDeclarationAt(method.file->path, method.name_begin(), method.name(), index);
  if (!methods.ok() || !IsMember(method.AsSymbol().kind)) return found;
  for (const Declaration& twin : ProtocolTwins(methods->targets[0], methods->all)) {
    if (const auto parameter = ParameterOf(twin, name)) found.push_back(*parameter);
  }
  return found;
}

// Uses of a name that calls may give to a function.
class NamedArguments {
 public:
  // `functions`: names by which calls mean the function, or others that hand arguments on to it.
  NamedArguments(std::set<std::string> functions, std::string name, CodeIndex* index)
      : functions_(std::move(functions)), name_(std::move(name)), index_(index) {
    AddThoseThatHandOn();
  }

  std::vector<RenameCandidate> Find(const Language& language, const std::string& new_name) {
    std::vector<RenameCandidate> found;
    std::vector<RenameCandidate> keys;
    for (const auto& file : index_->FilesWith(name_)) {
      if (!SeeEachOther(file->language, language)) continue;
      const auto tree = SyntaxTree::Parse(file->grammar, file->text);
      if (!tree.ok()) continue;
      const std::set<std::string> names = WithAliases(*file, functions_);
      for (const TSNode node : NodesOf(*tree)) {
        const TSNode word = WordOf(node, file->text);
        if (ts_node_is_null(word)) continue;
        const bool is_key = IsNode(node, "pair") || IsOfDictionary(node, file->text);
        const uint32_t begin = BeginOf(word) + (IsNode(word, "string") ? 1 : 0);
        if (is_key) keys.push_back(At(file, begin, new_name));
        if (!is_key && MayReach(node, *file, names)) found.push_back(At(file, begin, new_name));
      }
    }
    for (RenameCandidate& key : keys) {
      if (MayBeSpread(*key.file)) found.push_back(std::move(key));
    }
    return found;
  }

 private:
  static constexpr size_t kMaxFunctions = 20;

  // Functions with a `**` parameter that name one of the functions, and constructors with one whose
  // class derives from one of the classes.
  void AddThoseThatHandOn() {
    std::vector<std::string> open(functions_.begin(), functions_.end());
    for (size_t next = 0; next < open.size(); ++next) {
      const std::string function = open[next];
      for (const auto& file : index_->FilesWith(function)) {
        if (!absl::StrContains(file->text, "**")) continue;
        for (const Symbol& symbol : file->symbols) {
          if (functions_.size() >= kMaxFunctions) return;
          const std::string name = HandsOn(*file, symbol, function);
          if (!name.empty() && functions_.insert(name).second) open.push_back(name);
        }
      }
    }
  }

  // The name by which calls reach `function` through the symbol; "".
  static std::string HandsOn(const SourceFile& file, const Symbol& symbol,
                             const std::string& function) {
    if (IsType(symbol.kind) || !absl::StrContains(file.Signature(symbol), "**")) return "";
    // `Shape(factor=2)` calls `__init__`, which calls that of a base.
    if (symbol.name == "__init__" && symbol.parent >= 0) {
      const std::vector<std::string>& bases =
          file.symbols[static_cast<size_t>(symbol.parent)].bases;
      const bool is_below = std::find(bases.begin(), bases.end(), function) != bases.end();
      return is_below ? LastComponent(symbol.container) : "";
    }
    const auto body = absl::string_view(file.text).substr(symbol.begin, symbol.end - symbol.begin);
    return symbol.name != function && HoldsWord(body, function) ? symbol.name : "";
  }

  // The name in a keyword argument or a key in quotes; null.
  TSNode WordOf(TSNode node, absl::string_view text) const {
    const TSNode name = FieldOf(node, "name");
    if (IsNode(node, "keyword_argument") && TextOf(name, text) == name_) return name;
    const TSNode key = FieldOf(node, "key");
    const absl::string_view quoted = TextOf(key, text);
    const bool is_it = IsNode(node, "pair") && IsNode(key, "string") &&
                       quoted.size() == name_.size() + 2 && quoted.substr(1, name_.size()) == name_;
    return is_it ? key : TSNode{};
  }

  static bool IsOfDictionary(TSNode argument, absl::string_view text) {
    return TextOf(FieldOf(CallOf(argument), "function"), text) == "dict";
  }

  // Whether a dictionary of the file may be an argument `**options` for one of the functions, in
  // the file or in another that imports it.
  bool MayBeSpread(const SourceFile& file) {
    if (!spreading_.has_value()) {
      spreading_.emplace();
      for (const std::string& function : functions_) {
        for (const auto& user : index_->FilesWith(function)) {
          if (spreading_->count(user) == 0 && Spreads(*user)) spreading_->insert(user);
        }
      }
    }
    const std::string base = BaseName(file.path);
    const std::string module = base.substr(0, base.find('.'));
    return std::any_of(spreading_->begin(), spreading_->end(), [&](const auto& user) {
      return user->path == file.path || HoldsWord(user->text, module);
    });
  }

  // Whether a call of the file has an argument `**options` for one of the functions.
  bool Spreads(const SourceFile& file) const {
    if (!absl::StrContains(file.text, "**")) return false;
    const auto tree = SyntaxTree::Parse(file.grammar, file.text);
    if (!tree.ok()) return false;
    const std::set<std::string> names = WithAliases(file, functions_);
    const std::vector<TSNode> nodes = NodesOf(*tree);
    return std::any_of(nodes.begin(), nodes.end(), [&](TSNode node) {
      const bool is_argument =
          IsNode(node, "dictionary_splat") && IsNode(ts_node_parent(node), "argument_list");
      return is_argument && HoldsOneOf(TextOf(CallOf(node), file.text), names);
    });
  }

  // Whether the call names a function (`scale(…)`, `partial(scale, …)`), or what it calls is a
  // variable of a file that does.
  static bool MayReach(TSNode argument, const SourceFile& file,
                       const std::set<std::string>& names) {
    const TSNode call = CallOf(argument);
    if (HoldsOneOf(TextOf(call, file.text), names)) return true;
    const TSNode callee = CalleeOf(call);
    if (!IsNode(callee, "identifier") || !HoldsOneOf(file.text, names)) return false;
    const absl::string_view name = TextOf(callee, file.text);
    return std::any_of(
        file.scopes.bindings.begin(), file.scopes.bindings.end(), [&](const Binding& binding) {
          return binding.name == name &&
                 (binding.kind == BindingKind::kParameter || binding.kind == BindingKind::kLocal ||
                  binding.kind == BindingKind::kVariable);
        });
  }

  RenameCandidate At(const std::shared_ptr<const SourceFile>& file, uint32_t begin,
                     const std::string& new_name) const {
    return LikelyAt(file, begin, name_, new_name);
  }

  std::set<std::string> functions_;
  const std::string name_;
  CodeIndex* const index_;
  std::optional<std::set<std::shared_ptr<const SourceFile>>> spreading_;
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
  if (symbol < 0 || HasNameOfItsOwn(method.name())) return found;
  STILE_ASSIGN_OR_RETURN(
      const Resolution methods,
      ResolveDeclarationAt(file.path, method.name_begin(), method.name(), index));
  std::map<CodePlace, Declaration> family = {{PlaceOf(method), method}};
  for (size_t known = 0; known < family.size();) {
    known = family.size();
    for (const Declaration& other : methods.all) {
      if (!AreAlike(method, other) || family.count(PlaceOf(other)) > 0) continue;
      const bool is_overload = other.file->path == file.path &&
                               other.AsSymbol().container == method.AsSymbol().container;
      if (is_overload) family.emplace(PlaceOf(other), other);
      if (is_overload || !IsMember(other.AsSymbol().kind)) continue;
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
  if (!IsNamedByCalls(parameter)) return {};
  const SourceFile& own = *parameter.file;
  const int symbol = SymbolOf(own, own.scopes.bindings[static_cast<size_t>(parameter.binding)]);
  if (symbol < 0) return {};
  const Symbol& function = own.symbols[static_cast<size_t>(symbol)];
  std::vector<RenameCandidate> found =
      NamedArguments(CalleesOf(function), parameter.name(), index).Find(own.language, new_name);
  for (const Declaration& twin :
       ProtocolParameters({parameter.file, symbol, -1}, parameter.name(), index)) {
    found.push_back(LikelyAt(twin.file, twin.name_begin(), parameter.name(), new_name));
  }
  return found;
}

absl::Status DropForeignKeywords(const Declaration& parameter, CodeIndex* index,
                                 std::map<CodeRange, std::string>* edits) {
  if (!IsNamedByCalls(parameter)) return absl::OkStatus();
  const SourceFile& own = *parameter.file;
  const Binding& binding = own.scopes.bindings[static_cast<size_t>(parameter.binding)];
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(own.grammar, own.text));
  TSNode node = NodeAt(tree, binding.name_begin, binding.name_end);
  bool is_rest = false;
  for (; !ts_node_is_null(node); node = ts_node_parent(node)) {
    is_rest = is_rest || absl::EndsWith(TypeOf(node), "splat_pattern");
    if (IsNode(ts_node_parent(node), "parameters")) break;
  }
  if (ts_node_is_null(node) || (!is_rest && !IsPositional(node))) return absl::OkStatus();
  const std::map<CodeRange, std::string> all = *edits;
  for (const auto& [range, text] : all) {
    STILE_ASSIGN_OR_RETURN(const auto file, index->Open(range.path));
    STILE_ASSIGN_OR_RETURN(const SyntaxTree used, SyntaxTree::Parse(file->grammar, file->text));
    const TSNode name = NodeAt(used, range.begin, range.end);
    const TSNode argument = ts_node_parent(name);
    if (IsNode(argument, "keyword_argument") && SameNode(FieldOf(argument, "name"), name)) {
      edits->erase(range);
    }
  }
  return absl::OkStatus();
}

std::string PassedTogether(const Declaration& parameter, const std::string& new_name,
                           CodeIndex* index) {
  if (!IsNamedByCalls(parameter)) return "";
  const SourceFile& own = *parameter.file;
  const int symbol = SymbolOf(own, own.scopes.bindings[static_cast<size_t>(parameter.binding)]);
  if (symbol < 0) return "";
  const std::set<std::string> callees = CalleesOf(own.symbols[static_cast<size_t>(symbol)]);
  for (const auto& file : index->FilesWith(new_name)) {
    if (!SeeEachOther(file->language, own.language)) continue;
    const auto tree = SyntaxTree::Parse(file->grammar, file->text);
    if (!tree.ok()) continue;
    std::map<uint32_t, std::set<std::string>> names;  // by where the arguments begin
    for (const TSNode node : NodesOf(*tree)) {
      if (!IsNode(node, "keyword_argument")) continue;
      const std::string callee(TextOf(CalleeOf(CallOf(node)), file->text));
      std::set<std::string>& of_call = names[BeginOf(ts_node_parent(node))];
      of_call.emplace(TextOf(FieldOf(node, "name"), file->text));
      const bool is_both = of_call.count(new_name) > 0 && of_call.count(parameter.name()) > 0;
      if (!is_both || callees.count(callee) == 0) continue;
      return absl::StrCat("a call passes ", parameter.name(), " and ", new_name, " (",
                          ToUtf8(file->path), ":", file->PlaceOf(BeginOf(node)).line,
                          "). Choose another newName");
    }
  }
  return "";
}

}  // namespace stile

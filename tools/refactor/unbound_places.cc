#include "tools/refactor/unbound_places.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/es_modules.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/module_values.h"
#include "tools/refactor/prototype_members.h"

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

// The object of which the property `name` is read; null: another use, or a pattern of a parameter,
// a loop or an assignment.
TSNode TakenFrom(TSNode name) {
  const TSNode parent = ts_node_parent(name);
  if (IsNode(parent, "member_expression")) {
    return SameNode(FieldOf(parent, "property"), name) ? FieldOf(parent, "object") : TSNode{};
  }
  TSNode property = name;
  if (IsNode(parent, "pair_pattern") && SameNode(FieldOf(parent, "key"), name)) property = parent;
  // Of `{ limit = parse }`, the name on the right is a value.
  if (IsNode(parent, "object_assignment_pattern") && SameNode(FieldOf(parent, "left"), name)) {
    property = parent;
  }
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
  absl::string_view head = before;
  const bool is_member =
      absl::ConsumeSuffix(&head, "exports.") && (head.empty() || !IsIdentifierByte(head.back()));
  return is_member || IsCommonJsExport(*target.file, target.name_begin());
}

enum class Origin {
  kTarget,
  kOther,
  kUnknown,
  kUnlisted,  // unknown, and no other part of a rename lists it
};

// Where the modules of the project lie, for all files that hold the name of a symbol.
struct ProjectModules {
  explicit ProjectModules(const Resolution& symbol) : map(symbol.workspace) {
    for (const auto& file : symbol.files) packages.insert(map.PackageNameOf(file->path));
  }

  ModuleMap map;
  std::set<std::string> packages;
};

// From which module the objects of one file come.
class ObjectOrigins {
 public:
  ObjectOrigins(const Resolution& symbol, const SourceFile& file, const SyntaxTree& tree,
                ProjectModules* modules)
      : symbol_(symbol),
        file_(file),
        tree_(tree),
        modules_(*modules),
        has_own_require_(std::any_of(file.scopes.bindings.begin(), file.scopes.bindings.end(),
                                     [](const auto& one) { return one.name == "require"; })) {}

  // Whether the object is the module of the targets.
  Origin Of(TSNode object) {
    if (IsNode(object, "call_expression")) return OfCall(object);
    if (IsNode(object, "this")) return OfThis(object);
    if (!IsNode(object, "identifier")) return Origin::kUnknown;
    const std::string variable(TextOf(object, file_.text));
    const auto [known, is_new] = bindings_.try_emplace(variable);
    if (is_new) {
      for (const Occurrence& use :
           FindOccurrences(file_.grammar, file_.scopes, file_.text, variable)) {
        known->second[use.begin] = use.binding;
      }
    }
    const auto use = known->second.find(BeginOf(object));
    if (use == known->second.end()) return Origin::kUnknown;
    if (use->second < 0) return Origin::kOther;  // of the language: JSON, process
    const auto [origin, is_first] = origins_.try_emplace(use->second, Origin::kUnknown);
    if (is_first) {
      origin->second = OfVariable(file_.scopes.bindings[static_cast<size_t>(use->second)]);
    }
    return origin->second;
  }

 private:
  // `this.area()` in a function that the file of the targets exports, which others call as
  // `shapes.total()`. MayHaveOwnThis tells where `this` may be another object.
  Origin OfThis(TSNode object) {
    const std::string& name = symbol_.targets[0].name();
    const bool is_here =
        std::any_of(symbol_.targets.begin(), symbol_.targets.end(),
                    [&](const Declaration& target) { return target.file->path == file_.path; });
    const TSNode function = FunctionOfThis(object);
    const bool is_called = IsNode(ts_node_parent(ts_node_parent(object)), "call_expression");
    if (!is_here || !is_called || ts_node_is_null(function)) return Origin::kUnknown;
    const TSNode parent = ts_node_parent(function);
    TSNode key{};
    bool is_exported = false;
    if (IsNode(parent, "assignment_expression")) {
      const TSNode left = FieldOf(parent, "left");
      const absl::string_view around = TextOf(FieldOf(left, "object"), file_.text);
      key = FieldOf(left, "property");
      is_exported = around == "exports" || around == "module.exports";
    } else {
      const TSNode member = IsNode(function, "method_definition") ? function : parent;
      key = FieldOf(member, IsNode(member, "pair") ? "key" : "name");
      is_exported = IsNode(ts_node_parent(member), "object") &&
                    IsCommonJsExport(ts_node_parent(member), file_.text);
    }
    const absl::string_view exported = TextOf(key, file_.text);
    const bool is_constructor = exported.empty() || absl::ascii_isupper(exported[0]);
    if (!is_exported) return Origin::kUnknown;
    const auto [has_own, is_new] = own_this_.try_emplace(BeginOf(function), is_constructor);
    if (is_new && !is_constructor) {
      // An object with a member `name` of its own is in a file that holds the name.
      const auto takes_it = [&](const auto& other) {
        return other->path != file_.path && SeeEachOther(other->language, file_.language) &&
               IsTakenAsValue(*other, exported);
      };
      has_own->second = MayHaveOwnThis(tree_, file_.text, function, exported, name) ||
                        std::any_of(symbol_.files.begin(), symbol_.files.end(), takes_it);
    }
    return has_own->second ? Origin::kUnlisted : Origin::kTarget;
  }

  // `const parser = require("./parser")`, `import parser from "./parser.js"`.
  Origin OfVariable(const Binding& binding) {
    if (binding.kind == BindingKind::kImport) {
      for (const ModuleStatements::Name& import : file_.ImportsAndExports().names) {
        const bool is_whole = import.name == "default" || import.name == "*";
        if (import.is_export || import.alias != binding.name || !is_whole) continue;
        return OfPath(import.module);
      }
    }
    const TSNode name = NodeAt(tree_, binding.name_begin, binding.name_end);
    const TSNode declarator = ts_node_parent(name);
    const TSNode declaration = ts_node_parent(declarator);
    const bool is_constant = IsNode(declaration, "lexical_declaration") &&
                             absl::StartsWith(TextOf(declaration, file_.text), "const");
    if (!is_constant || !SameNode(FieldOf(declarator, "name"), name)) return Origin::kUnknown;
    const TSNode value = FieldOf(declarator, "value");
    return IsNode(value, "call_expression") ? OfCall(value) : Origin::kUnknown;
  }

  Origin OfCall(TSNode call) {
    const absl::string_view path = has_own_require_ ? "" : RequiredPath(call, file_.text);
    return path.empty() ? Origin::kUnknown : OfPath(std::string(path));
  }

  Origin OfPath(const std::string& module) {
    using Answer = ModuleMap::Answer;
    ModuleMap& map = modules_.map;
    if (map.IsForeign(file_, module, modules_.packages)) return Origin::kOther;
    for (const Declaration& target : symbol_.targets) {
      const Answer answer = map.Means(file_, module, target.file->path);
      if (answer != Answer::kNo) {
        return answer == Answer::kYes ? Origin::kTarget : Origin::kUnknown;
      }
    }
    // The module holds the name: it declares another one, or hands this one on.
    for (const auto& other : symbol_.files) {
      const Answer answer = map.Means(file_, module, other->path);
      if (answer == Answer::kNo) continue;
      const bool hands_on = answer == Answer::kPerhaps ||
                            absl::StrContains(other->text, "require(") ||
                            absl::StrContains(other->text, "import ");
      return hands_on ? Origin::kUnknown : Origin::kOther;
    }
    return Origin::kUnknown;
  }

  const Resolution& symbol_;
  const SourceFile& file_;
  const SyntaxTree& tree_;
  ProjectModules& modules_;
  const bool has_own_require_;
  // Of each variable, the binding that each place means.
  std::map<std::string, std::map<uint32_t, int>> bindings_;
  std::map<int, Origin> origins_;      // by binding
  std::map<uint32_t, bool> own_this_;  // by function: see MayHaveOwnThis
};

// The property `name` of an object that may be a module.
RenameCandidate PropertyAt(const std::shared_ptr<const SourceFile>& file,
                           const Occurrence& occurrence, TSNode name, const std::string& new_name) {
  RenameCandidate candidate{file, occurrence, Certainty::kLikely, false};
  candidate.occurrence.role = OccurrenceRole::kRaw;
  const bool is_short = absl::StartsWith(TypeOf(name), "shorthand");
  candidate.replacement =
      is_short ? absl::StrCat(new_name, ": ", TextOf(name, file->text)) : new_name;
  return candidate;
}

void AddRequiredNames(const Resolution& symbol, const std::shared_ptr<const SourceFile>& file,
                      const std::string& new_name, ProjectModules* modules,
                      std::vector<RenameCandidate>* found) {
  const auto tree = SyntaxTree::Parse(file->grammar, file->text);
  if (!tree.ok()) return;
  const std::string old_name = symbol.targets[0].name();
  const bool has_types = LanguageBackendOf(file->language.id).naming.has_declaration_files;
  ObjectOrigins origins(symbol, *file, *tree, modules);
  for (const Occurrence& occurrence :
       FindOccurrences(file->grammar, file->scopes, file->text, old_name)) {
    const TSNode name = NodeAt(*tree, occurrence.begin, occurrence.end);
    const TSNode object = TakenFrom(name);
    const bool is_key = IsKeyOfPattern(name);
    if (ts_node_is_null(object) && !is_key) continue;
    const Origin origin = ts_node_is_null(object) ? Origin::kUnknown : origins.Of(object);
    // A member of an unknown object is among the candidates already.
    if (origin == Origin::kOther || (origin == Origin::kUnknown && (!is_key || has_types))) {
      continue;
    }
    const bool is_it = origin == Origin::kTarget;
    RenameCandidate candidate = PropertyAt(file, occurrence, name, new_name);
    candidate.is_renamed = is_it;
    if (is_it) candidate.certainty = Certainty::kExact;
    found->push_back(std::move(candidate));
  }
}

// Whether the file looks members of a module of the symbol up by computed names: `types[name]`.
bool IndexesModule(const SourceFile& file, const SyntaxTree& tree, ObjectOrigins* origins) {
  if (!absl::StrContains(file.text, "[")) return false;
  std::vector<TSNode> open = {tree.root()};
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    const TSNode object = IsNode(node, "subscript_expression") ? FieldOf(node, "object") : TSNode{};
    if (!ts_node_is_null(object) && origins->Of(object) == Origin::kTarget) return true;
    for (const TSNode child : NamedChildren(node)) open.push_back(child);
  }
  return false;
}

// Values that are no module.
bool IsPlainValue(TSNode object) {
  return ts_node_is_null(object) ||
         IsOneOf(TypeOf(object), {"this", "super", "string", "template_string", "number", "regex",
                                  "array", "object", "new_expression", "arrow_function"});
}

void AddMembers(const Resolution& symbol, const std::shared_ptr<const SourceFile>& file,
                const std::string& new_name, ProjectModules* modules,
                std::vector<RenameCandidate>* found) {
  const auto tree = SyntaxTree::Parse(file->grammar, file->text);
  if (!tree.ok()) return;
  ObjectOrigins origins(symbol, *file, *tree, modules);
  const bool is_indexed = IndexesModule(*file, *tree, &origins);
  for (const Occurrence& occurrence :
       FindOccurrences(file->grammar, file->scopes, file->text, symbol.targets[0].name())) {
    const TSNode name = NodeAt(*tree, occurrence.begin, occurrence.end);
    const TSNode object = TakenFrom(name);
    const bool is_pattern = IsKeyOfPattern(name);
    // `{ Right: [")"] }`: code may look `types[key]` up with it.
    const bool is_key = is_indexed && IsNode(ts_node_parent(name), "pair") &&
                        SameNode(FieldOf(ts_node_parent(name), "key"), name);
    if (IsPlainValue(object) && !(is_pattern && ts_node_is_null(object)) && !is_key) continue;
    const bool is_other = !ts_node_is_null(object) && origins.Of(object) == Origin::kOther;
    if (!is_other) found->push_back(PropertyAt(file, occurrence, name, new_name));
  }
}

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

std::vector<RenameCandidate> DeclaredInComments(const Resolution& symbol) {
  std::vector<RenameCandidate> found;
  for (const Declaration& target : symbol.targets) {
    const absl::string_view text = target.file->text;
    const auto end = target.name_begin() + static_cast<uint32_t>(target.name().size());
    const absl::string_view head = text.substr(0, target.name_begin());
    const size_t open = head.rfind("/**");
    const bool is_comment =
        open != absl::string_view::npos && !absl::StrContains(head.substr(open), "*/");
    if (!is_comment || !LanguageBackendOf(target.file->language.id).generation.imports_files) {
      continue;
    }
    RenameCandidate candidate{target.file, {}, Certainty::kExact, true};
    candidate.occurrence.begin = target.name_begin();
    candidate.occurrence.end = end;
    candidate.occurrence.role = OccurrenceRole::kRaw;
    candidate.is_renamed = true;
    found.push_back(std::move(candidate));
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
  std::vector<RenameCandidate> found;
  if (!is_exported) return found;
  ProjectModules modules(symbol);
  for (const auto& file : symbol.files) {
    if (!LanguageBackendOf(file->language.id).generation.imports_files) continue;
    AddRequiredNames(symbol, file, new_name, &modules, &found);
  }
  return found;
}

std::vector<RenameCandidate> MembersOfModules(const Resolution& symbol, const std::string& new_name,
                                              CodeIndex* index) {
  const bool is_exported =
      std::all_of(symbol.targets.begin(), symbol.targets.end(), [](const Declaration& target) {
        const bool is_value = target.symbol >= 0 &&
                              target.AsSymbol().kind != SymbolKind::kInterface &&
                              target.AsSymbol().kind != SymbolKind::kTypeAlias;
        return is_value && target.AsSymbol().container.empty() &&
               LanguageBackendOf(target.file->language.id).generation.imports_files &&
               IsExported(target);
      });
  std::vector<RenameCandidate> found;
  if (!is_exported) return found;
  ProjectModules modules(symbol);
  for (const auto& file : symbol.files) {
    if (!LanguageBackendOf(file->language.id).generation.imports_files) continue;
    AddMembers(symbol, file, new_name, &modules, &found);
  }
  if (found.empty() || IsInModuleValue(symbol, index)) return found;
  std::map<std::string, bool> loads;
  std::erase_if(found, [&](const RenameCandidate& candidate) {
    const auto [known, is_new] = loads.try_emplace(candidate.file->path);
    if (is_new) known->second = LoadsUnknownModules(*candidate.file);
    return !known->second;
  });
  return found;
}

}  // namespace stile

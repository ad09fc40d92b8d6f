#include "tools/refactor/prototype_members.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/code_index.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/name_edits.h"

namespace stile {
namespace {

// "Shape" at the end of "exports.Shape"; "" if no name is there.
absl::string_view LastName(absl::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && IsIdentifierByte(text[begin - 1])) --begin;
  return text.substr(begin);
}

// What the only assignment to a variable gives it, up to the end of its line: `Shape.prototype` of
// `var proto = Shape.prototype;`. "": there is none, or several.
absl::string_view OnlyValueOf(absl::string_view text, absl::string_view variable) {
  absl::string_view value;
  for (size_t at = 0; (at = FindWord(text, variable, at)) != absl::string_view::npos;
       at += variable.size()) {
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(text.substr(at + variable.size()));
    if (!absl::ConsumePrefix(&rest, "=") || absl::StartsWith(rest, "=")) continue;
    if (at > 0 && text[at - 1] == '.') continue;  // a property
    if (!value.empty()) return "";
    value = absl::StripAsciiWhitespace(rest.substr(0, rest.find_first_of(",;\n")));
  }
  return value;
}

// The constructor to whose prototype the member at `name_begin` belongs: `Shape` of
// `Shape.prototype.area`, and of `proto.area` after `var proto = Shape.prototype`; "": none.
std::string ConstructorOf(absl::string_view text, uint32_t name_begin) {
  absl::string_view before = text.substr(0, name_begin);
  if (absl::ConsumeSuffix(&before, ".prototype.")) return std::string(LastName(before));
  // The search below takes as long as the text, for each member.
  constexpr size_t kMaxBytes = size_t{1} << 20;
  if (text.size() > kMaxBytes || !absl::ConsumeSuffix(&before, ".")) return "";
  const absl::string_view variable = LastName(before);
  before.remove_suffix(variable.size());
  if (variable.empty() || variable == "this" || absl::EndsWith(before, ".")) return "";
  absl::string_view value = OnlyValueOf(text, variable);
  return absl::ConsumeSuffix(&value, ".prototype") ? std::string(LastName(value)) : "";
}

// `this.area` in the constructor, or in a function that is assigned to its prototype.
bool IsOfThis(const SourceFile& file, const Occurrence& use, const std::string& constructor) {
  const absl::string_view text = file.text;
  const absl::string_view receiver =
      text.substr(use.receiver_begin, use.receiver_end - use.receiver_begin);
  if (receiver != "this") return false;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return false;
  const TSNode function = FunctionOfThis(NodeAt(*tree, use.begin, use.end));
  if (ts_node_is_null(function)) return false;
  if (IsNode(function, "function_declaration") &&
      TextOf(FieldOf(function, "name"), text) == constructor) {
    return true;
  }
  const TSNode assignment = ts_node_parent(function);
  const TSNode left = FieldOf(assignment, "left");
  return IsNode(assignment, "assignment_expression") &&
         SameNode(FieldOf(assignment, "right"), function) && IsNode(left, "member_expression") &&
         ConstructorOf(text, BeginOf(FieldOf(left, "property"))) == constructor;
}

// Where the constructor is named before a member of its prototype, `Shape` of
// `Shape.prototype.area`; nullopt: none is.
std::optional<uint32_t> ConstructorBefore(absl::string_view text, uint32_t member) {
  absl::string_view before = text.substr(0, member);
  if (!absl::ConsumeSuffix(&before, ".prototype.")) return std::nullopt;
  size_t begin = before.size();
  while (begin > 0 && IsIdentifierByte(before[begin - 1])) --begin;
  const bool is_alone = begin < before.size() && (begin == 0 || before[begin - 1] != '.');
  return is_alone ? std::optional<uint32_t>(begin) : std::nullopt;
}

// Whether a mention of a function's name declares a function or calls the function as it is known:
// `exports.total(1)`. Elsewhere it is a value, which may become a member of any object. `function`:
// the one that the name is given to.
bool IsCalled(TSNode name, TSNode function) {
  const TSNode parent = ts_node_parent(name);
  const TSNode outer = ts_node_parent(parent);
  if (IsNode(parent, "member_expression") && SameNode(FieldOf(parent, "property"), name)) {
    return (IsNode(outer, "call_expression") && SameNode(FieldOf(outer, "function"), parent)) ||
           (IsNode(outer, "assignment_expression") && SameNode(FieldOf(outer, "left"), parent) &&
            SameNode(FieldOf(outer, "right"), function));
  }
  if (IsNode(parent, "call_expression")) return SameNode(FieldOf(parent, "function"), name);
  if (IsNode(parent, "pair")) return SameNode(FieldOf(parent, "key"), name);
  // A property of another class; its value is looked at by itself.
  if (IsNode(parent, "field_definition")) return SameNode(FieldOf(parent, "property"), name);
  return IsOneOf(TypeOf(parent),
                 {"function_expression", "function", "function_declaration", "method_definition",
                  "generator_function", "generator_function_declaration", "comment"}) ||
         (IsNode(parent, "string") && !IsNode(outer, "subscript_expression"));
}

// Whether the module itself is a value: `{ ...exports }`, `Object.create(module.exports)`.
bool IsModuleValue(TSNode node, absl::string_view text) {
  const absl::string_view word = TextOf(node, text);
  const bool is_module = (IsNode(node, "identifier") && word == "exports") ||
                         (IsNode(node, "member_expression") && word == "module.exports");
  if (!is_module) return false;
  const TSNode parent = ts_node_parent(node);
  if (IsNode(parent, "member_expression")) return !SameNode(FieldOf(parent, "object"), node);
  return !IsNode(parent, "assignment_expression") || !SameNode(FieldOf(parent, "left"), node);
}

// `this.area = 1`, `Object.assign(this, {…})`
bool SetsMembersOfThis(TSNode node, absl::string_view text, absl::string_view name) {
  if (IsNode(node, "call_expression")) {
    const TSNode arguments = FieldOf(node, "arguments");
    const TSNode callee = FieldOf(node, "function");
    const absl::string_view called = TextOf(FieldOf(callee, "property"), text);
    return (called == "assign" || called == "defineProperty" || called == "defineProperties") &&
           ts_node_named_child_count(arguments) > 0 &&
           IsNode(ts_node_named_child(arguments, 0), "this");
  }
  if (!IsOneOf(TypeOf(node), {"assignment_expression", "augmented_assignment_expression"})) {
    return false;
  }
  const TSNode left = FieldOf(node, "left");
  return IsNode(left, "member_expression") && IsNode(FieldOf(left, "object"), "this") &&
         TextOf(FieldOf(left, "property"), text) == name;
}

}  // namespace

TSNode FunctionOfThis(TSNode node) {
  while (!ts_node_is_null(node) &&
         !IsOneOf(TypeOf(node),
                  {"function_expression", "function", "function_declaration", "generator_function",
                   "generator_function_declaration", "method_definition"})) {
    if (IsNode(node, "class_body")) return TSNode{};
    node = ts_node_parent(node);
  }
  return node;
}

bool MayHaveOwnThis(const SyntaxTree& tree, absl::string_view text, TSNode function,
                    absl::string_view exported, absl::string_view name) {
  const absl::string_view own = TextOf(FieldOf(function, "name"), text);
  std::vector<TSNode> open = {tree.root()};
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    const absl::string_view word = TextOf(node, text);
    const bool is_name = ts_node_child_count(node) == 0 && !word.empty();
    if (is_name && (word == exported || word == own) && !IsCalled(node, function)) return true;
    if (IsModuleValue(node, text) || SetsMembersOfThis(node, text, name)) return true;
    // `Base.call(this)`, `const self = this`
    if (IsNode(node, "this") && !IsNode(ts_node_parent(node), "member_expression") &&
        SameNode(FunctionOfThis(node), function)) {
      return true;
    }
    for (const TSNode child : NamedChildren(node)) open.push_back(child);
  }
  return false;
}

bool IsTakenAsValue(const SourceFile& file, absl::string_view exported) {
  if (!HoldsWord(file.text, exported)) return false;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return true;
  std::vector<TSNode> open = {tree->root()};
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    if (ts_node_child_count(node) == 0 && TextOf(node, file.text) == exported &&
        !IsCalled(node, TSNode{})) {
      return true;
    }
    for (const TSNode child : NamedChildren(node)) open.push_back(child);
  }
  return false;
}

bool IsOfPrototype(const Declaration& member) {
  return member.symbol >= 0 && member.AsSymbol().kind == SymbolKind::kMethod &&
         !PrototypeOwner(member).empty();
}

std::string PrototypeOwner(const Declaration& member) {
  return ConstructorOf(member.file->text, member.name_begin());
}

std::set<std::string> PrototypeBases(const SourceFile& file, const std::string& constructor) {
  std::set<std::string> bases;
  const absl::string_view text = file.text;
  const bool may_derive = HoldsWord(text, "prototype") || HoldsWord(text, "inherits");
  const auto tree = may_derive && HoldsWord(text, constructor)
                        ? SyntaxTree::Parse(file.grammar, file.text)
                        : absl::StatusOr<SyntaxTree>(absl::NotFoundError(""));
  if (!tree.ok()) return bases;
  // "Shape" of `Shape.prototype`, `shapes.Shape`.
  const auto name_of = [&](TSNode node) {
    absl::string_view path = TextOf(node, text);
    absl::ConsumeSuffix(&path, ".__proto__");
    absl::ConsumeSuffix(&path, ".prototype");
    return std::string(LastName(path));
  };
  const auto is_prototype = [&](TSNode node) {
    const absl::string_view path = TextOf(node, text);
    return IsNode(node, "member_expression") &&
           (absl::EndsWith(path, ".prototype") || absl::EndsWith(path, ".prototype.__proto__"));
  };
  const auto add = [&](TSNode base) {
    if (!IsOneOf(TypeOf(base), {"identifier", "member_expression"})) return;
    if (std::string name = name_of(base); !name.empty()) bases.insert(std::move(name));
  };
  std::vector<TSNode> open = {tree->root()};
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    for (const TSNode child : NamedChildren(node)) open.push_back(child);
    const TSNode arguments = FieldOf(node, "arguments");
    const TSNode left = FieldOf(node, "left");
    if (IsNode(node, "assignment_expression") && is_prototype(left) &&
        name_of(left) == constructor) {
      const TSNode value = FieldOf(node, "right");
      if (IsNode(value, "new_expression")) add(FieldOf(value, "constructor"));
      if (is_prototype(value)) add(value);
      const TSNode given = FieldOf(value, "arguments");
      if (IsNode(value, "call_expression") && ts_node_named_child_count(given) > 0 &&
          TextOf(FieldOf(value, "function"), text) == "Object.create") {
        add(ts_node_named_child(given, 0));
      }
    } else if (IsNode(node, "call_expression") && ts_node_named_child_count(arguments) > 1) {
      const absl::string_view called = LastName(TextOf(FieldOf(node, "function"), text));
      const TSNode derived = ts_node_named_child(arguments, 0);
      const bool derives = (called == "setPrototypeOf" && is_prototype(derived)) ||
                           (called == "inherits" && !is_prototype(derived));
      if (derives && name_of(derived) == constructor) add(ts_node_named_child(arguments, 1));
    }
  }
  return bases;
}

bool IsBehindPrototypeOf(const Declaration& member, const Reference& use, CodeIndex* index,
                         Resolver* resolver) {
  if (!IsOfPrototype(member)) return false;
  const auto constructor = ConstructorBefore(use.file->text, use.occurrence.begin);
  if (!constructor.has_value()) return false;
  const auto places = resolver->Definition({use.file->path, *constructor});
  return places.ok() &&
         std::any_of(places->ranges.begin(), places->ranges.end(), [&](const CodeRange& range) {
           return range.path == member.file->path &&
                  TextAt(range, index).value_or("") == PrototypeOwner(member);
         });
}

void KeepToPrototype(const Resolution& symbol, std::vector<RenameCandidate>* candidates) {
  for (RenameCandidate& candidate : *candidates) {
    const uint32_t begin = candidate.occurrence.begin;
    bool is_target = false;
    bool is_of_this = false;
    for (const Declaration& method : symbol.targets) {
      if (method.file->path != candidate.file->path) continue;
      is_target = is_target || method.name_begin() == begin;
      is_of_this =
          is_of_this || IsOfThis(*candidate.file, candidate.occurrence, PrototypeOwner(method));
    }
    if (is_target) continue;
    candidate.is_renamed = is_of_this;
    candidate.certainty = is_of_this ? Certainty::kExact : Certainty::kLikely;
    candidate.is_unseen =
        candidate.is_other_declaration && !ConstructorOf(candidate.file->text, begin).empty();
  }
}

}  // namespace stile

#include "tools/refactor/prototype_members.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

bool IsBehindPrototype(const SourceFile& file, uint32_t name_begin) {
  return absl::EndsWith(absl::string_view(file.text).substr(0, name_begin), ".prototype.");
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
  return IsNode(assignment, "assignment_expression") &&
         SameNode(FieldOf(assignment, "right"), function) &&
         absl::StartsWith(TextOf(FieldOf(assignment, "left"), text),
                          absl::StrCat(constructor, ".prototype."));
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
  const auto last_word = [&](TSNode node) {
    return TextOf(IsNode(node, "member_expression") ? FieldOf(node, "property") : node, text);
  };
  const auto is_function = [&](TSNode node) {
    const absl::string_view word = last_word(node);
    return !word.empty() && (word == exported || word == own);
  };
  const auto has = [&](TSNode member, absl::string_view property) {
    return IsNode(member, "member_expression") && last_word(member) == property;
  };
  const auto call_gives_this = [&](TSNode call) {
    const TSNode callee = FieldOf(call, "function");
    const TSNode object = FieldOf(callee, "object");
    const TSNode arguments = FieldOf(call, "arguments");
    const TSNode first =
        ts_node_named_child_count(arguments) > 0 ? ts_node_named_child(arguments, 0) : TSNode{};
    // `inherits(parser, Base)`, `Reflect.apply(parser, box)`, `events.on("data", parser)`
    for (const TSNode argument : NamedChildren(arguments)) {
      if (is_function(argument)) return true;
    }
    // `Object.assign(this, {…})`
    const bool sets = has(callee, "assign") || has(callee, "defineProperty");
    if (sets && IsNode(first, "this")) return true;
    if (!has(callee, "call") && !has(callee, "apply") && !has(callee, "bind")) return false;
    // `parser.call(box)`; `Base.call(this)` in the function
    const absl::string_view base = last_word(object);
    return is_function(object) ||
           (IsNode(first, "this") && SameNode(FunctionOfThis(first), function) && !base.empty() &&
            absl::ascii_isupper(static_cast<unsigned char>(base[0])));
  };
  std::vector<TSNode> open = {tree.root()};
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    // `new parser()`, `parser.prototype`, `this.area = 1`
    if (IsNode(node, "new_expression") && is_function(FieldOf(node, "constructor"))) return true;
    if (has(node, "prototype") && is_function(FieldOf(node, "object"))) return true;
    const bool assigns =
        IsOneOf(TypeOf(node), {"assignment_expression", "augmented_assignment_expression"});
    const TSNode left = assigns ? FieldOf(node, "left") : TSNode{};
    if (has(left, name) && IsNode(FieldOf(left, "object"), "this")) return true;
    // `box.parser = exports.parser`
    const absl::string_view receiver = TextOf(FieldOf(left, "object"), text);
    const bool exports = receiver == "exports" || receiver == "module.exports";
    if (assigns && !exports && is_function(FieldOf(node, "right"))) return true;
    if (IsNode(node, "call_expression") && call_gives_this(node)) return true;
    for (const TSNode child : NamedChildren(node)) open.push_back(child);
  }
  return false;
}

bool IsOfPrototype(const Declaration& member) {
  return member.symbol >= 0 && member.AsSymbol().kind == SymbolKind::kMethod &&
         IsBehindPrototype(*member.file, member.name_begin());
}

void KeepToPrototype(const Resolution& symbol, std::vector<RenameCandidate>* candidates) {
  for (RenameCandidate& candidate : *candidates) {
    const uint32_t begin = candidate.occurrence.begin;
    bool is_target = false;
    bool is_of_this = false;
    for (const Declaration& method : symbol.targets) {
      if (method.file->path != candidate.file->path) continue;
      is_target = is_target || method.name_begin() == begin;
      is_of_this = is_of_this || IsOfThis(*candidate.file, candidate.occurrence,
                                          LastComponent(method.AsSymbol().container));
    }
    if (is_target) continue;
    candidate.is_renamed = is_of_this;
    candidate.certainty = is_of_this ? Certainty::kExact : Certainty::kLikely;
    candidate.is_unseen =
        candidate.is_other_declaration && IsBehindPrototype(*candidate.file, begin);
  }
}

}  // namespace stile

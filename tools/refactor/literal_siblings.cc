#include "tools/refactor/literal_siblings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/syntax/syntax_tree.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

constexpr int kMaxLevels = 200;  // of nodes around a literal; in deeper ones nothing is found

// The name that a member of an object literal has; null for computed names and spreads.
TSNode NameOfMember(TSNode member) {
  if (IsNode(member, "shorthand_property_identifier")) return member;
  TSNode key = FieldOf(member, IsNode(member, "pair") ? "key" : "name");
  if (IsNode(key, "string")) key = ts_node_named_child(key, 0);
  return IsOneOf(TypeOf(key),
                 {"property_identifier", "string_fragment", "shorthand_property_identifier"})
             ? key
             : TSNode{};
}

// Whether the value of the node is that of one of its operands.
bool IsChoice(TSNode node, absl::string_view text) {
  if (IsNode(node, "ternary_expression")) return true;
  if (!IsNode(node, "binary_expression")) return false;
  const TSNode sign = FieldOf(node, "operator");
  return !ts_node_is_null(sign) && IsOneOf(TextOf(sign, text), {"||", "&&", "??"});
}

bool IsFunction(TSNode node) {
  return IsOneOf(TypeOf(node),
                 {"arrow_function", "function_expression", "function_declaration", "function",
                  "method_definition", "generator_function", "generator_function_declaration"});
}

int IndexIn(TSNode array, TSNode element) {
  const std::vector<TSNode> elements = NamedChildren(array);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (SameNode(elements[i], element)) return static_cast<int>(i);
  }
  return -1;
}

// Whether each element has a type of its own: a row of a table, a constant, or destructured.
bool IsTuple(TSNode array) {
  TSNode parent = ts_node_parent(array);
  while (IsNode(parent, "parenthesized_expression")) parent = ts_node_parent(parent);
  return IsOneOf(TypeOf(parent), {"array", "as_expression", "satisfies_expression"}) ||
         IsNode(FieldOf(parent, "name"), "array_pattern") ||
         IsNode(FieldOf(parent, "left"), "array_pattern");
}

// A step from a literal inwards: to the member `name`, or to an element of an array.
struct Step {
  std::string name;
  bool is_element = false;
  int index = -1;  // of the element; -1: any
};

// How a value gets from what surrounds a literal to a key of it.
struct KeyPath {
  TSNode root{};  // an array literal, a choice or a function; null: there is none
  std::vector<Step> steps;

  void EndAt(TSNode node, const std::vector<Step>& inner) {
    root = node;
    steps.assign(inner.rbegin(), inner.rend());
  }
};

KeyPath PathOf(TSNode member, absl::string_view text) {
  KeyPath path;
  std::vector<Step> steps;
  TSNode node = member;
  for (int level = 0; level < kMaxLevels; ++level, node = ts_node_parent(node)) {
    const TSNode parent = ts_node_parent(node);
    if (IsNode(parent, "object")) {
      const TSNode name = NameOfMember(node);
      if (ts_node_is_null(name)) break;
      steps.push_back({std::string(TextOf(name, text))});
    } else if (IsNode(parent, "array")) {
      const bool is_tuple = IsTuple(parent);
      steps.push_back({"", true, is_tuple ? IndexIn(parent, node) : -1});
      if (!is_tuple) path.EndAt(parent, steps);
    } else if (IsChoice(parent, text)) {
      path.EndAt(parent, steps);
    } else if (IsNode(parent, "return_statement")) {
      TSNode function = parent;
      while (!ts_node_is_null(function) && !IsFunction(function)) {
        function = ts_node_parent(function);
      }
      if (!ts_node_is_null(function)) path.EndAt(function, steps);
      break;
    } else if (IsFunction(parent)) {
      path.EndAt(parent, steps);  // `() => ({a: 1})`
      break;
    } else if (!IsOneOf(TypeOf(parent), {"pair", "parenthesized_expression"})) {
      break;  // or the root
    }
  }
  return path;
}

void CollectKeys(TSNode value, const std::vector<Step>& steps, size_t at, int level,
                 absl::string_view text, std::set<uint32_t>* found) {
  if (level == kMaxLevels) return;
  while (IsNode(value, "parenthesized_expression")) value = ts_node_named_child(value, 0);
  if (IsChoice(value, text)) {
    for (const TSNode operand : NamedChildren(value)) {
      CollectKeys(operand, steps, at, level + 1, text, found);
    }
    return;
  }
  if (steps[at].is_element) {
    if (!IsNode(value, "array")) return;
    int index = 0;
    for (const TSNode element : NamedChildren(value)) {
      if (steps[at].index >= 0 && index++ != steps[at].index) continue;
      CollectKeys(element, steps, at + 1, level + 1, text, found);
    }
    return;
  }
  if (!IsNode(value, "object")) return;
  for (const TSNode member : NamedChildren(value)) {
    const TSNode name = NameOfMember(member);
    if (ts_node_is_null(name) || TextOf(name, text) != steps[at].name) continue;
    if (at + 1 == steps.size()) {
      found->insert(BeginOf(name));
    } else if (IsNode(member, "pair")) {
      CollectKeys(FieldOf(member, "value"), steps, at + 1, level + 1, text, found);
    }
  }
}

// Of all values that the path ends in.
void CollectFrom(const KeyPath& path, absl::string_view text, std::set<uint32_t>* found) {
  if (!IsFunction(path.root)) return CollectKeys(path.root, path.steps, 0, 0, text, found);
  CollectKeys(FieldOf(path.root, "body"), path.steps, 0, 0, text, found);
  WalkTree(path.root, [&](TSNode node) {
    if (IsFunction(node) && !SameNode(node, path.root)) return false;
    if (!IsNode(node, "return_statement")) return true;
    CollectKeys(ts_node_named_child(node, 0), path.steps, 0, 0, text, found);
    return false;
  });
}

}  // namespace

std::set<uint32_t> SiblingKeys(const SourceFile& file, const std::set<uint32_t>& keys,
                               ParsedFiles* parsed) {
  std::set<uint32_t> found;
  const SyntaxTree* const tree = parsed->Of(file);
  if (tree == nullptr) return found;
  for (const uint32_t key : keys) {
    if (found.count(key) > 0) continue;  // its siblings are known
    TSNode member = ts_node_named_descendant_for_byte_range(tree->root(), key, key + 1);
    // From the name up to its member: `pair`, `string` and `string_fragment` at most.
    for (int i = 0; i < 3 && !ts_node_is_null(member); ++i) {
      if (IsNode(ts_node_parent(member), "object")) break;
      member = ts_node_parent(member);
    }
    if (ts_node_is_null(member) || !IsNode(ts_node_parent(member), "object")) continue;
    const TSNode name = NameOfMember(member);
    if (ts_node_is_null(name) || BeginOf(name) != key) continue;
    const KeyPath path = PathOf(member, file.text);
    if (!ts_node_is_null(path.root)) CollectFrom(path, file.text, &found);
  }
  for (const uint32_t key : keys) found.erase(key);
  return found;
}

}  // namespace stile

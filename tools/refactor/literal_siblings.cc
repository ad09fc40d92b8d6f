#include "tools/refactor/literal_siblings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/syntax/syntax_tree.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

constexpr size_t kMaxSteps = 64;

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

// From the element of an array literal to a key: the names of the members on the way, "" for an
// element of an array in between.
struct KeyPath {
  TSNode array{};  // null: there is none
  std::vector<std::string> steps;
};

KeyPath PathOf(TSNode member, absl::string_view text) {
  KeyPath path;
  std::vector<std::string> steps;
  for (TSNode node = member; steps.size() < kMaxSteps; node = ts_node_parent(node)) {
    const TSNode parent = ts_node_parent(node);
    if (IsNode(parent, "object")) {
      const TSNode name = NameOfMember(node);
      if (ts_node_is_null(name)) break;
      steps.emplace_back(TextOf(name, text));
    } else if (IsNode(parent, "array")) {
      path.array = parent;
      path.steps.assign(steps.rbegin(), steps.rend());
      steps.emplace_back();
    } else if (!IsOneOf(TypeOf(parent), {"pair", "parenthesized_expression"})) {
      break;  // or the root
    }
  }
  return path;
}

void CollectKeys(TSNode value, const std::vector<std::string>& steps, size_t at,
                 absl::string_view text, std::set<uint32_t>* found) {
  while (IsNode(value, "parenthesized_expression")) value = ts_node_named_child(value, 0);
  if (steps[at].empty()) {
    if (!IsNode(value, "array")) return;
    for (const TSNode element : NamedChildren(value)) {
      CollectKeys(element, steps, at + 1, text, found);
    }
    return;
  }
  if (!IsNode(value, "object")) return;
  for (const TSNode member : NamedChildren(value)) {
    const TSNode name = NameOfMember(member);
    if (ts_node_is_null(name) || TextOf(name, text) != steps[at]) continue;
    if (at + 1 == steps.size()) {
      found->insert(BeginOf(name));
    } else if (IsNode(member, "pair")) {
      CollectKeys(FieldOf(member, "value"), steps, at + 1, text, found);
    }
  }
}

}  // namespace

std::set<uint32_t> SiblingKeys(const SourceFile& file, const std::set<uint32_t>& keys) {
  std::set<uint32_t> found;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return found;
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
    if (ts_node_is_null(path.array)) continue;
    for (const TSNode element : NamedChildren(path.array)) {
      CollectKeys(element, path.steps, 0, file.text, &found);
    }
  }
  for (const uint32_t key : keys) found.erase(key);
  return found;
}

}  // namespace stile

#include "tools/language/syntax_nodes.h"

#include "absl/strings/match.h"

namespace stile {

TSNode ChildOf(TSNode node, absl::string_view type) {
  const uint32_t count = ts_node_named_child_count(node);
  for (uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_named_child(node, i);
    if (IsNode(child, type)) return child;
  }
  return TSNode{};
}

std::vector<TSNode> NamedChildren(TSNode node) {
  std::vector<TSNode> children;
  if (ts_node_is_null(node)) return children;
  // A cursor: asking for the n-th child walks over those before it.
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const TSNode child = ts_tree_cursor_current_node(&cursor);
      if (ts_node_is_named(child)) children.push_back(child);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return children;
}

TSNode NodeAt(const SyntaxTree& tree, uint32_t begin, uint32_t end) {
  return ts_node_named_descendant_for_byte_range(tree.root(), begin, end);
}

bool HasChildText(TSNode node, absl::string_view word, absl::string_view text) {
  if (ts_node_is_null(node)) return false;
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  bool found = false;
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      found = TextOf(ts_tree_cursor_current_node(&cursor), text) == word;
    } while (!found && ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

bool SameNode(TSNode a, TSNode b) { return ts_node_eq(a, b); }

bool IsComment(TSNode node) { return absl::StrContains(TypeOf(node), "comment"); }

}  // namespace stile

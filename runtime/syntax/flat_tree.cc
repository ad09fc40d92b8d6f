#include "runtime/syntax/flat_tree.h"

namespace stile {

std::vector<FlatNode> FlattenTree(TSNode root, uint32_t max_depth, const SymbolSet& with_fields) {
  std::vector<FlatNode> nodes;
  nodes.reserve(ts_node_descendant_count(root));
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  std::vector<uint32_t> open;  // those around the current node
  bool has_fields = false;     // the innermost of them
  const auto look_around = [&] {
    if (open.empty()) return;
    const TSSymbol symbol = nodes[open.back()].symbol;
    has_fields = symbol >= with_fields.size() || with_fields[symbol];
  };
  const auto add = [&] {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const auto index = static_cast<uint32_t>(nodes.size());
    nodes.push_back({node, index + 1, ts_node_symbol(node),
                     has_fields ? ts_tree_cursor_current_field_id(&cursor) : TSFieldId{0},
                     ts_node_is_named(node)});
    return index;
  };
  for (uint32_t current = add();;) {
    if (open.size() < max_depth && ts_tree_cursor_goto_first_child(&cursor)) {
      open.push_back(current);
      look_around();
    } else {
      while (!open.empty() && !ts_tree_cursor_goto_next_sibling(&cursor)) {
        ts_tree_cursor_goto_parent(&cursor);
        nodes[open.back()].end = static_cast<uint32_t>(nodes.size());
        open.pop_back();
        look_around();
      }
      if (open.empty()) break;
    }
    current = add();
  }
  ts_tree_cursor_delete(&cursor);
  return nodes;
}

}  // namespace stile

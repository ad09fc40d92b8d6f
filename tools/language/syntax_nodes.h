// Short words for what is asked of nodes all the time.
#ifndef STILE_TOOLS_LANGUAGE_SYNTAX_NODES_H_
#define STILE_TOOLS_LANGUAGE_SYNTAX_NODES_H_

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {

inline bool IsNode(TSNode node, absl::string_view type) {
  return !ts_node_is_null(node) && ts_node_type(node) == type;
}
inline bool IsOneOf(absl::string_view type, std::initializer_list<absl::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}
// "" for a null node.
inline absl::string_view TypeOf(TSNode node) {
  return ts_node_is_null(node) ? "" : absl::string_view(ts_node_type(node));
}
// Null for a null node.
inline TSNode FieldOf(TSNode node, absl::string_view name) {
  if (ts_node_is_null(node)) return node;
  return ts_node_child_by_field_name(node, name.data(), static_cast<uint32_t>(name.size()));
}
// The first named child of the type; null if there is none.
TSNode ChildOf(TSNode node, absl::string_view type);
std::vector<TSNode> NamedChildren(TSNode node);
// The smallest named node that holds the bytes.
TSNode NodeAt(const SyntaxTree& tree, uint32_t begin, uint32_t end);
// Whether a named or anonymous child has this text.
bool HasChildText(TSNode node, absl::string_view word, absl::string_view text);
inline uint32_t BeginOf(TSNode node) { return ts_node_start_byte(node); }
inline uint32_t EndOf(TSNode node) { return ts_node_end_byte(node); }
bool SameNode(TSNode a, TSNode b);
bool IsComment(TSNode node);

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_SYNTAX_NODES_H_

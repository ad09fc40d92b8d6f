#ifndef STILE_RUNTIME_SYNTAX_SYNTAX_TREE_H_
#define STILE_RUNTIME_SYNTAX_SYNTAX_TREE_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/flat_tree.h"
#include "runtime/syntax/grammar.h"
#include "tree_sitter/api.h"

namespace stile {

// The tree of one text. Movable; used by one thread at a time. The text is not kept: offsets of
// nodes are bytes into what was parsed.
class SyntaxTree {
 public:
  // Parses all of `text`, which need not be correct: what does not fit becomes error nodes.
  // Parsers are pooled and handed to one thread at a time. Errors: ResourceExhausted when the text
  // takes far more processor time than texts of its size do (recovery from errors can be quadratic
  // in hostile ones), InvalidArgument above kMaxBytes.
  static absl::StatusOr<SyntaxTree> Parse(const Grammar& grammar, absl::string_view text);
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  // The same for a text that differs from `old_text`, of which `old` is the tree, in one place:
  // what lies around it is taken over. Where there are errors the tree may differ from one parsed
  // anew.
  static absl::StatusOr<SyntaxTree> Reparse(const Grammar& grammar, const SyntaxTree& old,
                                            absl::string_view old_text, absl::string_view text);

  TSNode root() const { return ts_tree_root_node(tree_.get()); }
  bool has_error() const { return ts_node_has_error(root()); }

  // All its nodes but those that lie too deep to be of use, with the fields of children of
  // `with_fields`. Kept until the next call with another set.
  const std::vector<FlatNode>& Flat(const SymbolSet& with_fields) const;
  static constexpr uint32_t kMaxFlatDepth = 2000;

 private:
  struct Deleter {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  explicit SyntaxTree(TSTree* tree) : tree_(tree) {}
  static absl::StatusOr<SyntaxTree> ParseWith(const Grammar& grammar, const TSTree* old,
                                              absl::string_view text);
  std::unique_ptr<TSTree, Deleter> tree_;
  mutable std::vector<FlatNode> flat_;
  mutable SymbolSet flat_fields_;
};

// Calls `enter` with every node below and including `root`, a parent before its children, in the
// order of the text; below a node for which it returns false it does not go. Any depth.
void WalkTree(TSNode root, const std::function<bool(TSNode)>& enter);

// The part of the parsed text that a node covers; "" for a null node.
absl::string_view TextOf(TSNode node, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SYNTAX_TREE_H_

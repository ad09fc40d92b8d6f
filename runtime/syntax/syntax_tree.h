#ifndef STILE_RUNTIME_SYNTAX_SYNTAX_TREE_H_
#define STILE_RUNTIME_SYNTAX_SYNTAX_TREE_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

  TSNode root() const { return ts_tree_root_node(tree_.get()); }
  bool has_error() const { return ts_node_has_error(root()); }

 private:
  struct Deleter {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  explicit SyntaxTree(TSTree* tree) : tree_(tree) {}
  std::unique_ptr<TSTree, Deleter> tree_;
};

// Calls `enter` with every node below and including `root`, a parent before its children, in the
// order of the text; below a node for which it returns false it does not go. Any depth.
void WalkTree(TSNode root, const std::function<bool(TSNode)>& enter);

// The part of the parsed text that a node covers.
absl::string_view TextOf(TSNode node, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SYNTAX_TREE_H_

// The nodes of a syntax tree as an array, for passes that look at all of them: tree-sitter's cursor
// goes through hidden nodes at each step, this is done once.
#ifndef STILE_RUNTIME_SYNTAX_FLAT_TREE_H_
#define STILE_RUNTIME_SYNTAX_FLAT_TREE_H_

#include <cstdint>
#include <vector>

#include "tree_sitter/api.h"

namespace stile {

// Nodes by symbol; those of the symbol ERROR always count as members.
using SymbolSet = std::vector<bool>;

struct FlatNode {
  TSNode node;
  uint32_t end;  // index behind all that lies below it: of its next sibling, where it has one
  TSSymbol symbol;
  TSFieldId field;  // 0: none
  bool is_named;
};

// In the order of the text, parents before children; children of node i begin at i + 1. What lies
// deeper than `max_depth` is left out. Only children of `with_fields` are given their fields, which
// take a while to find in long lists.
std::vector<FlatNode> FlattenTree(TSNode root, uint32_t max_depth, const SymbolSet& with_fields);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_FLAT_TREE_H_

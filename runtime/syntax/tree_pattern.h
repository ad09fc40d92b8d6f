// The patterns of tree-sitter's query language, read into a form that can be compared with nodes.
// Of the language (https://tree-sitter.github.io/tree-sitter/using-parsers/queries) we have nodes,
// fields, absent fields, anonymous nodes, wildcards, alternations, anchors, captures and
// predicates; quantifiers, groups of siblings and supertypes are errors.
#ifndef STILE_RUNTIME_SYNTAX_TREE_PATTERN_H_
#define STILE_RUNTIME_SYNTAX_TREE_PATTERN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/flat_tree.h"
#include "runtime/syntax/grammar.h"

namespace stile {

struct TreePattern {
  struct Part;
  enum class Kind : uint8_t { kSymbol, kNamed, kAny };

  Kind kind = Kind::kSymbol;
  TSSymbol symbol = 0;             // of kSymbol
  std::vector<TSFieldId> absent;   // fields that it must not have
  std::vector<uint32_t> captures;  // numbers of names, see QueryPatterns
  std::vector<Part> parts;         // some of its children, in their order
};

struct TreePattern::Part {
  TSFieldId field = 0;  // 0: any or none
  // No named node stands before it, or between it and the part before it.
  bool is_next = false;
  bool is_last = false;  // no named node stands behind it
  bool has_captures = false;
  std::vector<TreePattern> alternatives;
};

struct QueryPredicate {
  std::string name;  // "eq?"
  uint32_t capture = 0;
  std::vector<std::string> texts;
};

struct QueryPattern {
  std::vector<TreePattern> alternatives;
  std::vector<QueryPredicate> predicates;
};

struct QueryPatterns {
  SymbolSet with_fields;              // nodes for whose children fields matter
  std::vector<std::string> captures;  // their names, by number
  std::vector<QueryPattern> patterns;
};

// InvalidArgument, "line 3: …", for a mistake, a node or field that the grammar does not have, and
// what is left out of the language. Whether a pattern can ever match is not looked at.
absl::StatusOr<QueryPatterns> ParseQuery(const Grammar& grammar, absl::string_view source);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_TREE_PATTERN_H_

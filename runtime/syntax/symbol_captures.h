// What the query symbols.scm of a grammar says about one text, before the pieces are put together.
// Captures:
//
//   @definition.<kind>, @declaration.<kind>   a whole declaration, with and without what it
//   promises
//   @name               its name; @declarator its own part of a declaration that may have several
//   @body               where its head ends, if that is not the field "body" of the declaration
//   @owner              what it belongs to, where that is not around it
//   @name.<kind>        a name alone: it is declared by the innermost @statement.definition or
//                       @statement.declaration around it, and not at all in a @local
//   @to_end             the declaration lasts to the end of the file
//   @wrapper, @wrapped  the declaration @wrapped begins and ends where @wrapper does
//   @container          holds declarations that belong to @owner (impl blocks)
//   @base               a base type of the innermost type or container
//   @local              what holds locals: variables in it are no symbols
//   @comment, @attribute  what may stand before a declaration; @doc documentation inside of it
#ifndef STILE_RUNTIME_SYNTAX_SYMBOL_CAPTURES_H_
#define STILE_RUNTIME_SYNTAX_SYMBOL_CAPTURES_H_

#include <cstdint>
#include <vector>

#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {

struct ByteRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool empty() const { return begin == end; }
  bool operator==(const ByteRange& other) const { return begin == other.begin && end == other.end; }
  // What is around comes before what is in it.
  bool operator<(const ByteRange& other) const {
    return begin != other.begin ? begin < other.begin : end > other.end;
  }
};

ByteRange RangeOf(TSNode node);

struct DeclaredName {
  TSNode name;
  ByteRange range;       // of the declaration
  ByteRange declarator;  // empty: the declaration has this one only, or nobody knows
  ByteRange owner;
  uint32_t body_begin = 0;  // 0: it has none
  SymbolKind kind = SymbolKind::kVariable;
  bool is_definition = true;
  bool is_alone = false;  // a @name.<kind>, whose declaration was found around it
};

// Each vector by begin, what is around before what is in it.
struct SymbolCaptures {
  struct Container {
    ByteRange range;
    ByteRange owner;
  };
  struct Prefix {
    ByteRange range;
    bool is_comment = false;
  };
  std::vector<DeclaredName> names;  // one at most for each node
  std::vector<Container> containers;
  std::vector<ByteRange> locals;
  std::vector<ByteRange> bases;
  std::vector<ByteRange> docs;
  std::vector<Prefix> prefixes;  // comments and attributes
};

SymbolCaptures CaptureSymbols(const Grammar& grammar, const SyntaxTree& tree,
                              absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SYMBOL_CAPTURES_H_

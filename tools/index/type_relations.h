// Which types extend or implement which, by the names that declarations give as their bases.
#ifndef STILE_TOOLS_INDEX_TYPE_RELATIONS_H_
#define STILE_TOOLS_INDEX_TYPE_RELATIONS_H_

#include <vector>

#include "tools/index/references.h"
#include "tools/index/symbol_query.h"

namespace stile {

struct RelatedSymbol {
  Declaration declaration;
  Certainty certainty = Certainty::kLikely;  // kLikely: another type of the name may be meant
};

bool IsType(SymbolKind kind);

// Types that name one of `types` as a base, and those that name them, to any depth; by distance.
// Go's types that have every method of an interface count as its likely implementations.
std::vector<RelatedSymbol> FindDerivedTypes(const Resolution& types, CodeIndex* index);

// Of an interface or class: the derived types with a body. Of a method: its overrides in types that
// derive from its own.
std::vector<RelatedSymbol> FindImplementations(const Resolution& resolution, CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_TYPE_RELATIONS_H_

// Where a symbol is named, and how sure that is. A syntax tree knows no types: what it cannot tell
// is said to be likely, never left out and never passed off as certain.
#ifndef STILE_TOOLS_INDEX_REFERENCES_H_
#define STILE_TOOLS_INDEX_REFERENCES_H_

#include <memory>
#include <vector>

#include "tools/index/symbol_query.h"

namespace stile {

enum class Certainty {
  kExact,   // bound to the symbol by scope, import, qualification, or because there is no other
  kLikely,  // member of a receiver whose type is unknown, or one of several of the name
};

struct Reference {
  std::shared_ptr<const SourceFile> file;
  Occurrence occurrence;
  Certainty certainty = Certainty::kLikely;
  bool is_declaration = false;
};

// Every occurrence that is the symbol or may be, by file and place. What is bound to something else
// (a local, another declaration of the same file, another language) is no reference.
std::vector<Reference> FindReferences(const Resolution& resolution);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_REFERENCES_H_

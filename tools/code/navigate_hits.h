// Places that code.navigate shows, and how they are found by syntax.
#ifndef STILE_TOOLS_CODE_NAVIGATE_HITS_H_
#define STILE_TOOLS_CODE_NAVIGATE_HITS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/json.h"
#include "tools/index/references.h"
#include "tools/index/symbol_query.h"
#include "tools/index/type_relations.h"

namespace stile {

// One place to go to.
struct Hit {
  std::shared_ptr<const SourceFile> file;
  uint32_t offset = 0;  // in bytes
  Certainty certainty = Certainty::kExact;
  int depth = 1;  // of a hierarchy
};

std::vector<Hit> Definitions(const Resolution& resolution);
std::vector<Hit> References(const Resolution& resolution, bool with_declarations, bool calls_only);
std::vector<Hit> Related(const std::vector<RelatedSymbol>& symbols);

// Offsets of the names that are called in a symbol (`operation` is "callees"), or of the bases in
// the head of a type ("base_types").
std::vector<uint32_t> PlacesIn(const std::string& operation, const Declaration& target);
// What the project declares under these names.
std::vector<Hit> FindDefinitions(const std::string& operation, const Resolution& resolution,
                                 CodeIndex* index);

Json HitJson(const Hit& hit);
std::string HitText(const Hit& hit);  // one line

}  // namespace stile

#endif  // STILE_TOOLS_CODE_NAVIGATE_HITS_H_

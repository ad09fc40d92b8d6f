// Which identifiers a file may hold, in a few bits each: a Bloom filter in blocks of one cache
// line.
//   F. Putze, P. Sanders, J. Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007.
#ifndef STILE_TOOLS_INDEX_IDENTIFIER_FILTER_H_
#define STILE_TOOLS_INDEX_IDENTIFIER_FILTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// The filter of a text: a seventeenth of its size.
std::string MakeIdentifierFilter(absl::string_view text);

// Something to look for: a name, or a piece of code such as "operator==".
class IdentifierProbe {
 public:
  explicit IdentifierProbe(absl::string_view word);
  // False: a text of that filter does not hold the word for certain (see HoldsWord). True where the
  // filter can say nothing.
  bool MayBeIn(absl::string_view filter) const;

 private:
  std::vector<uint64_t> hashes_;  // of the identifiers in the word
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_IDENTIFIER_FILTER_H_

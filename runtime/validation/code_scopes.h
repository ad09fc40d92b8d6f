// The seam between the gate and the syntax trees that name what surrounds a line.
#ifndef STILE_RUNTIME_VALIDATION_CODE_SCOPES_H_
#define STILE_RUNTIME_VALIDATION_CODE_SCOPES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

class ScopeFinder {
 public:
  virtual ~ScopeFinder() = default;
  // For each 1-based line of a code file the name of the innermost declaration around it, with what
  // that is declared in: "Shop.price". "" at the top of the file, outside of the text and in files
  // of unknown languages. Thread-safe.
  virtual std::vector<std::string> ScopesAt(const std::string& path, absl::string_view text,
                                            const std::vector<int>& lines) const = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_CODE_SCOPES_H_

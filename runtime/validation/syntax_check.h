// The seam between the gate and the syntax trees that look at code without a validator.
#ifndef STILE_RUNTIME_VALIDATION_SYNTAX_CHECK_H_
#define STILE_RUNTIME_VALIDATION_SYNTAX_CHECK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

class SyntaxChecker {
 public:
  virtual ~SyntaxChecker() = default;
  // Errors of syntax that `after` has and `before` ("" for a new file) does not have; nullopt if no
  // grammar reads the file, or the text is too large for one. Thread-safe.
  virtual std::optional<std::vector<Diagnostic>> NewSyntaxErrors(const std::string& path,
                                                                 absl::string_view before,
                                                                 absl::string_view after) const = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_SYNTAX_CHECK_H_

// Syntax errors that an edit introduced. Grammars reject some code that compiles (macros, new
// syntax): only new errors are reported, and the gate asks only where no compiler can answer.
#ifndef STILE_RUNTIME_SYNTAX_SYNTAX_ERRORS_H_
#define STILE_RUNTIME_SYNTAX_SYNTAX_ERRORS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/grammar.h"

namespace stile {

struct SyntaxError {
  int line = 0;         // 1-based, in the new text
  int column = 0;       // 1-based, in bytes
  std::string message;  // "missing ')'", "unexpected 'fi'", "'{' is never closed"
};

// What is wrong with `after` and was not with `before` ("" for a new file), the most telling first,
// at most a handful. Nothing when either text is too large or too hostile to be parsed. Costs one
// parse of `after`, and, only if that has errors, one of the place where `before` differs.
std::vector<SyntaxError> IntroducedErrors(const Grammar& grammar, absl::string_view before,
                                          absl::string_view after);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SYNTAX_ERRORS_H_

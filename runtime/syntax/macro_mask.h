// C and C++ put macros where the grammars know none: `class MYLIB_API Server { … };` is read as a
// function then, and all that is in the class is lost.
#ifndef STILE_RUNTIME_SYNTAX_MACRO_MASK_H_
#define STILE_RUNTIME_SYNTAX_MACRO_MASK_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/grammar.h"

namespace stile {

struct MaskedText {
  std::string text;  // as long as the original, with blanks for the macros; "" if there are none
  std::vector<std::pair<uint32_t, uint32_t>> macros;  // [begin, end) of their names
};

// Macros between `class`, `struct`, `union` or `enum` and the name of a type that is defined there.
// For grammars other than C's and C++'s there are none.
MaskedText MaskMacros(const Grammar& grammar, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_MACRO_MASK_H_

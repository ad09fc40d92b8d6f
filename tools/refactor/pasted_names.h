// Macros of C and C++ that make a name of parts: `KIT_##level` gives KIT_ERROR where level is
// ERROR.
#ifndef STILE_TOOLS_REFACTOR_PASTED_NAMES_H_
#define STILE_TOOLS_REFACTOR_PASTED_NAMES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Offsets of the parts beside `##` in macro definitions with which the name begins or ends.
// Parameters of the macro are no such parts.
std::vector<uint32_t> FindPastedNames(absl::string_view text, absl::string_view name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PASTED_NAMES_H_

#ifndef STILE_VALIDATORS_INTEGRITY_WARNING_FLAGS_H_
#define STILE_VALIDATORS_INTEGRITY_WARNING_FLAGS_H_

#include <set>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// Switches of C and C++ compilers (gcc's, clang's and Microsoft's spelling) that a build file
// holds, wherever they stand in it: those that make errors of more, and those that let more pass.
std::set<std::string> StrictWarningFlags(absl::string_view text);  // -Wall, -Werror=x, /WX
std::set<std::string> LooseWarningFlags(absl::string_view text);   // -w, -Wno-x, -fpermissive

// Whether a file of this name is where such switches are kept.
bool HoldsWarningFlags(absl::string_view name);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_WARNING_FLAGS_H_

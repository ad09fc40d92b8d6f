// Whether a text can be a name in a language.
#ifndef STILE_TOOLS_REFACTOR_NEW_NAME_H_
#define STILE_TOOLS_REFACTOR_NEW_NAME_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/language/language.h"

namespace stile {

// InvalidArgument, with the reason, where `name` is no identifier or is a reserved word of the
// language. Identifiers are letters, digits and underscores of any script (a dollar sign, too, as
// far as the language takes it). Letters that compilers take for others, such as those of double
// width, are refused: Python compares names in Unicode's normal form KC.
absl::Status CheckNewName(const Language& language, const std::string& name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_NEW_NAME_H_

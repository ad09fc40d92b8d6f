// Code that is an argument of a macro whose expansion drops it, so that no compiler judges it.
#ifndef STILE_VALIDATORS_INTEGRITY_SWALLOWING_MACROS_H_
#define STILE_VALIDATORS_INTEGRITY_SWALLOWING_MACROS_H_

#include <vector>

#include "runtime/language/language.h"
#include "runtime/validation/weakening.h"

namespace stile {

// Calls, new or with new arguments, of macros of the workspace (`macro_rules!` of Rust, `#define`
// of C and C++) that drop an argument or use it as text only (`#x`, `stringify!`): in one rule of
// macro_rules!, in all definitions of a #define. Arguments that hold no code (names, literals) are
// dropped rightly: a log message, an unused parameter. Thread-safe.
std::vector<Weakening> CompareMacroCalls(const LanguageRegistry& languages,
                                         const std::vector<ContentPair>& changes,
                                         const WorkspaceFiles& files);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_SWALLOWING_MACROS_H_

// Finds the functions that a change set changed, by their tokens.
#ifndef STILE_VALIDATORS_INTEGRITY_CHANGED_FUNCTIONS_H_
#define STILE_VALIDATORS_INTEGRITY_CHANGED_FUNCTIONS_H_

#include <memory>

#include "runtime/language/language.h"
#include "runtime/validation/changed_functions.h"

namespace stile {

// `languages` outlives the finder.
std::unique_ptr<ChangedFunctionFinder> NewChangedFunctionFinder(const LanguageRegistry* languages);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_CHANGED_FUNCTIONS_H_

// Finds the code of a file that a judge may leave out although it reads the file.
#ifndef STILE_VALIDATORS_INTEGRITY_CONDITIONAL_REGIONS_H_
#define STILE_VALIDATORS_INTEGRITY_CONDITIONAL_REGIONS_H_

#include <memory>

#include "runtime/language/language.h"
#include "runtime/validation/conditional_code.h"

namespace stile {

// C, C++ and C#: branches of #if. Rust: items under #[cfg] and files or modules under #![cfg].
// Python: what type checkers may skip (python_regions.h). `languages` outlives the finder.
std::unique_ptr<ConditionFinder> NewConditionFinder(const LanguageRegistry* languages);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_CONDITIONAL_REGIONS_H_

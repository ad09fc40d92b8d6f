#ifndef STILE_VALIDATORS_INTEGRITY_CONDITIONAL_REGIONS_H_
#define STILE_VALIDATORS_INTEGRITY_CONDITIONAL_REGIONS_H_

#include <memory>

#include "runtime/gate/conditional_code.h"
#include "runtime/language/language.h"

namespace stile {

// C, C++ and C#: branches of #if, include guards and __cplusplus left out. Rust: items under #[cfg]
// and files or modules under #![cfg]. Python: branches on constants, on names in capitals and on
// the platform, and what stands behind a return, a raise or such an assert, all of which type
// checkers skip. `languages` outlives the finder.
std::unique_ptr<ConditionFinder> NewConditionFinder(const LanguageRegistry* languages);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_CONDITIONAL_REGIONS_H_

// Functions that have to be called with another number of arguments than before.
#ifndef STILE_VALIDATORS_INTEGRITY_CALL_SIGNATURES_H_
#define STILE_VALIDATORS_INTEGRITY_CALL_SIGNATURES_H_

#include <set>
#include <string>
#include <vector>

#include "runtime/gate/weakening.h"
#include "runtime/language/language.h"

namespace stile {

// Names of functions outside of test files that a change declares before and after, and of which a
// call with some number of arguments was right before and is none now.
std::set<std::string> OtherwiseCalled(const LanguageRegistry& languages,
                                      const std::vector<ContentPair>& changes);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_CALL_SIGNATURES_H_

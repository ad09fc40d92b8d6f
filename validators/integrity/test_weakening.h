// Compares the tests of a change set before and after: what was asserted, and is no longer.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_WEAKENING_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_WEAKENING_H_

#include <vector>

#include "runtime/language/language.h"
#include "runtime/validation/weakening.h"

namespace stile {

// Tests are compared by name, and what they assert by its tokens. An assertion may move to another
// test, file, helper or table of the change set; it may go when the symbol that it names goes
// from the code in the same change. In the order of the changes.
std::vector<Weakening> CompareTests(const LanguageRegistry& languages,
                                    const std::vector<ContentPair>& changes);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_WEAKENING_H_

// Old test code with expected values in their present form.
#ifndef STILE_VALIDATORS_INTEGRITY_PRESENT_VALUES_H_
#define STILE_VALIDATORS_INTEGRITY_PRESENT_VALUES_H_

#include <string>
#include <vector>

#include "runtime/syntax/grammar.h"

namespace stile {

// `old` with those literals that `present` has changed and nothing else around them. A list or map
// of literals counts as one and may grow, not shrink. Numbers and texts in heads of loops, in
// ranges, imports and annotations decide what runs, and keep their old form; so does a literal that
// had another form in one of `at_failures`. Whole of `old` if a text cannot be parsed.
std::string WithPresentValues(const Grammar& grammar, const std::string& old,
                              const std::string& present,
                              const std::vector<std::string>& at_failures);

// The same for a data file: `present` if it holds as many words as `old`.
std::string DataWithPresentValues(const std::string& old, const std::string& present,
                                  const std::vector<std::string>& at_failures);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_PRESENT_VALUES_H_

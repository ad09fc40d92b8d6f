// What is reached in a function: statements behind a return, and behind a return under a condition.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_REACH_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_REACH_H_

#include <string>

#include "validators/integrity/test_code.h"
#include "validators/integrity/test_skips.h"

namespace stile {

// Whether nothing behind the statement is reached: it returns, throws, skips or exits.
bool Leaves(const TestCode& code, const SkipNodes& skips, uint32_t i);

// The condition under which what follows is not reached, though nothing has failed; or "".
std::string LeavesIf(const TestCode& code, const SkipNodes& skips, uint32_t i);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_REACH_H_

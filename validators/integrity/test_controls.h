// Code that decides about a whole test run: hooks of test runners, exits, replaced functions.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_CONTROLS_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_CONTROLS_H_

#include <string>
#include <vector>

#include "validators/integrity/test_code.h"
#include "validators/integrity/test_side.h"

namespace stile {

// Adds what the file holds. A hook that only sorts or labels the tests is none. Code of the
// product counts where it runs when it is imported.
void FindTestControls(const TestCode& code, const std::string& path, bool is_test,
                      std::vector<TestControl>* controls);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_CONTROLS_H_

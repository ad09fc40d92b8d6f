#ifndef STILE_VALIDATORS_TEST_RUNNER_PYTEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_PYTEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "pytest": judges a project in which something looks like a test. Status 5 (no test was collected)
// is a failure then: a level of validation that tests nothing must not open the gate.
std::unique_ptr<Validator> NewPytestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_PYTEST_H_

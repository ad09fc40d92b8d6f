#ifndef STILE_VALIDATORS_TEST_RUNNER_PYTEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_PYTEST_H_

#include <memory>

#include "runtime/gate/validator.h"

namespace stile {

// "pytest": status 5 (no test was collected) is a failure: a level of validation that tests nothing
// must not open the gate.
std::unique_ptr<Validator> NewPytestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_PYTEST_H_

#ifndef STILE_VALIDATORS_TEST_RUNNER_CTEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_CTEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "ctest": builds as the cmake validator does, then runs ctest where the lists call enable_testing.
std::unique_ptr<Validator> NewCTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_CTEST_H_

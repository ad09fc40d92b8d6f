#ifndef STILE_VALIDATORS_TEST_RUNNER_REPEATING_VALIDATOR_H_
#define STILE_VALIDATORS_TEST_RUNNER_REPEATING_VALIDATOR_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// `validator` with the rule of WithOneRepeat (test_run.h) around each validation.
std::unique_ptr<Validator> NewRepeatingValidator(std::unique_ptr<Validator> validator);

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_REPEATING_VALIDATOR_H_

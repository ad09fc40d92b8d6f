#ifndef STILE_VALIDATORS_TEST_RUNNER_MAKE_TEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_MAKE_TEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "make-test": the target test or check of a Makefile, in a scratch copy. The tests are not
// counted.
std::unique_ptr<Validator> NewMakeTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_MAKE_TEST_H_

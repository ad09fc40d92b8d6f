#ifndef STILE_VALIDATORS_TEST_RUNNER_NPM_TEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_NPM_TEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "npm-test": the "test" script of the nearest package.json. Its exit status decides; counts are
// read from the output where it is TAP, or the summary of node --test, jest, vitest or mocha.
std::unique_ptr<Validator> NewNpmTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_NPM_TEST_H_

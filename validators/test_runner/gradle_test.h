#ifndef STILE_VALIDATORS_TEST_RUNNER_GRADLE_TEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_GRADLE_TEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "gradle-test": the tests of a Gradle build (see validators/compiler/gradle.h), a failing run
// repeated once.
std::unique_ptr<Validator> NewGradleTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_GRADLE_TEST_H_

#ifndef STILE_VALIDATORS_TEST_RUNNER_MAVEN_TEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_MAVEN_TEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "maven-test": the tests of a Maven build (see validators/compiler/maven.h), a failing run
// repeated once.
std::unique_ptr<Validator> NewMavenTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_MAVEN_TEST_H_

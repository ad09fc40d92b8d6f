#ifndef STILE_VALIDATORS_COMPILER_MAVEN_H_
#define STILE_VALIDATORS_COMPILER_MAVEN_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "maven" (mvn test-compile) and "maven-test" (mvn test), from the outermost pom.xml, in a scratch
// copy: not every pom lets its output folder be moved.
std::unique_ptr<Validator> NewMavenValidator(Level level);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_MAVEN_H_

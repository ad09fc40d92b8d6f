#ifndef STILE_VALIDATORS_COMPILER_JAVAC_H_
#define STILE_VALIDATORS_COMPILER_JAVAC_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "javac": all .java files of a project that has neither Maven nor Gradle, compiled together into
// the state folder. Jars in lib/ and libs/ are on the class path.
std::unique_ptr<Validator> NewJavacValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_JAVAC_H_

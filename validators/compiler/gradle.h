#ifndef STILE_VALIDATORS_COMPILER_GRADLE_H_
#define STILE_VALIDATORS_COMPILER_GRADLE_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "gradle" (testClasses of all projects) and "gradle-test" (test), from the outermost folder with
// settings, with the build folders moved into the state folder by an init script.
std::unique_ptr<Validator> NewGradleValidator(Level level);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_GRADLE_H_

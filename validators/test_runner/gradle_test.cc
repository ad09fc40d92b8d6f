#include "validators/test_runner/gradle_test.h"

#include "validators/compiler/gradle.h"
#include "validators/test_runner/repeating_validator.h"

namespace stile {

std::unique_ptr<Validator> NewGradleTestValidator() {
  return NewRepeatingValidator(NewGradleValidator(Level::kTest));
}

}  // namespace stile

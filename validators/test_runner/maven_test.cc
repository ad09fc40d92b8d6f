#include "validators/test_runner/maven_test.h"

#include "validators/compiler/maven.h"
#include "validators/test_runner/repeating_validator.h"

namespace stile {

std::unique_ptr<Validator> NewMavenTestValidator() {
  return NewRepeatingValidator(NewMavenValidator(Level::kTest));
}

}  // namespace stile

#ifndef STILE_VALIDATORS_COMPILER_GO_BUILD_H_
#define STILE_VALIDATORS_COMPILER_GO_BUILD_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "go-build": go build without outputs, then a vet that does nothing but type-check, tests too.
std::unique_ptr<Validator> NewGoBuildValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_GO_BUILD_H_

#ifndef STILE_VALIDATORS_TEST_RUNNER_GO_TEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_GO_TEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "go-test": go test -json ./..., without the result cache (it trusts mtimes) and without vet.
std::unique_ptr<Validator> NewGoTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_GO_TEST_H_

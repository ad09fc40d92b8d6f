#ifndef STILE_VALIDATORS_TEST_RUNNER_DOTNET_TEST_H_
#define STILE_VALIDATORS_TEST_RUNNER_DOTNET_TEST_H_

#include <memory>

#include "runtime/validation/validator.h"

namespace stile {

// "dotnet-test": `dotnet test` for projects that refer to a test framework; counts from trx
// reports.
std::unique_ptr<Validator> NewDotnetTestValidator();

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_DOTNET_TEST_H_

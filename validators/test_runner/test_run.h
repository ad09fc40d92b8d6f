// What test runners share: a failing run is repeated once, since a test that passes only when
// repeated is neither a pass nor a failure of the code.
#ifndef STILE_VALIDATORS_TEST_RUNNER_TEST_RUN_H_
#define STILE_VALIDATORS_TEST_RUNNER_TEST_RUN_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/gate/validator.h"

namespace stile {

// Calls `attempt`; if it fails, once more. Pass after fail is kFlakyPass, with the diagnostics of
// the first attempt as warnings. Any other second verdict stands.
absl::StatusOr<ValidationResult> WithOneRepeat(
    const std::function<absl::StatusOr<ValidationResult>()>& attempt);

// "2 of 5 tests failed".
std::string CountsMessage(const TestCounts& counts);

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_TEST_RUN_H_

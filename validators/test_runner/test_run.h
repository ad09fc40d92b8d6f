// What test runners share: a failing run is repeated once, since a test that passes only when
// repeated is neither a pass nor a failure of the code.
#ifndef STILE_VALIDATORS_TEST_RUNNER_TEST_RUN_H_
#define STILE_VALIDATORS_TEST_RUNNER_TEST_RUN_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// Calls `attempt`; if it fails, once more, unless the request expects that. Pass after fail is
// kFlakyPass, with the diagnostics of the first attempt as warnings. Any other second verdict
// stands.
absl::StatusOr<ValidationResult> WithOneRepeat(
    const ValidationRequest& request,
    const std::function<absl::StatusOr<ValidationResult>()>& attempt);

// For a test program of the project that ended with success: `passed` with the counts that its
// output reports, where it is that of a known runner. A report that counts failures makes it a
// failure: what a program exits with is easily lost on the way (`|| true`, a pipe, a main
// function).
ValidationResult JudgeByReport(ValidationResult passed, absl::string_view output);

// "2 of 5 tests failed".
std::string CountsMessage(const TestCounts& counts);

}  // namespace stile

#endif  // STILE_VALIDATORS_TEST_RUNNER_TEST_RUN_H_

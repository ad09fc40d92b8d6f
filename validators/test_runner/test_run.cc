#include "validators/test_runner/test_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {

absl::StatusOr<ValidationResult> WithOneRepeat(
    const std::function<absl::StatusOr<ValidationResult>()>& attempt) {
  STILE_ASSIGN_OR_RETURN(ValidationResult first, attempt());
  if (first.verdict != Verdict::kFail) return first;
  STILE_ASSIGN_OR_RETURN(ValidationResult second, attempt());
  if (second.verdict != Verdict::kPass) {
    // A fault that shows in both runs is no matter of luck; what the first run said is complete.
    return second.verdict == Verdict::kFail ? first : second;
  }
  second.verdict = Verdict::kFlakyPass;
  second.message = absl::StrCat("passed only when repeated; at first: ", first.message);
  for (Diagnostic& diagnostic : first.diagnostics) diagnostic.severity = Severity::kWarning;
  second.diagnostics = std::move(first.diagnostics);
  second.output = std::move(first.output);
  return second;
}

std::string CountsMessage(const TestCounts& counts) {
  return absl::StrCat(
      counts.failed, " of ",
      Count(static_cast<size_t>(counts.passed) + static_cast<size_t>(counts.failed), "test"),
      " failed");
}

}  // namespace stile

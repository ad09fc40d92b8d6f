#include "validators/test_runner/test_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/test_summary.h"

namespace stile {

absl::StatusOr<ValidationResult> WithOneRepeat(
    const ValidationRequest& request,
    const std::function<absl::StatusOr<ValidationResult>()>& attempt) {
  STILE_ASSIGN_OR_RETURN(ValidationResult first, attempt());
  if (first.verdict != Verdict::kFail || request.failure_is_expected) return first;
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

ValidationResult JudgeByReport(ValidationResult passed, absl::string_view output) {
  const TestSummary summary = SummarizeTestText(output);
  if (!summary.found) return passed;
  TestCounts counts = summary.counts;
  counts.failed = std::max(counts.failed, summary.failures());
  passed.tests = counts;
  if (counts.failed == 0) return passed;
  passed.verdict = Verdict::kFail;
  passed.message = absl::StrCat(CountsMessage(counts),
                                " by the program's own report, though it ended with success");
  passed.output = TruncateMiddle(ToUtf8(output), size_t{16} << 10);
  return passed;
}

std::string CountsMessage(const TestCounts& counts) {
  return absl::StrCat(
      counts.failed, " of ",
      Count(static_cast<size_t>(counts.passed) + static_cast<size_t>(counts.failed), "test"),
      " failed");
}

}  // namespace stile

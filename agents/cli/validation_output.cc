#include "agents/cli/validation_output.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

bool Passed(Verdict verdict) {
  return verdict == Verdict::kPass || verdict == Verdict::kFlakyPass ||
         verdict == Verdict::kRemoved;
}

std::string DescribeTarget(const TargetReport& target) {
  const ValidationResult& result = target.result;
  std::string text = absl::StrCat(target.validator.empty() ? "no validator" : target.validator, " ",
                                  OneLine(target.root), " (", target.language, ", ",
                                  LevelName(target.level), "): ", VerdictName(result.verdict));
  const size_t errors = CountErrors(result.diagnostics);
  const std::string count = Count(errors, "error");
  if (errors > 0) absl::StrAppend(&text, ", ", count);
  if (result.tests) {
    absl::StrAppend(&text, ", ", result.tests->passed, " passed, ", result.tests->failed,
                    " failed, ", result.tests->skipped, " skipped");
  }
  if (!result.message.empty() && result.message != count)
    absl::StrAppend(&text, ": ", OneLine(result.message));
  return text;
}

}  // namespace

std::string ValidationText(const ValidationReport& report, const Terminal& terminal, bool verbose) {
  std::string text;
  for (const TargetReport& target : report.targets) {
    for (const Diagnostic& diagnostic : target.result.diagnostics) {
      absl::StrAppend(&text, OneLine(FormatDiagnostic(diagnostic)), "\n");
    }
  }
  for (const TargetReport& target : report.targets) {
    const bool passed = Passed(target.result.verdict);
    absl::StrAppend(&text,
                    Styled(terminal, passed ? Style::kGreen : Style::kRed, passed ? "✓" : "✗"), " ",
                    DescribeTarget(target), "\n");
    if (verbose && !target.result.command.empty()) {
      absl::StrAppend(&text, "    $ ", OneLine(target.result.command), "\n");
    }
    const std::string& output = target.result.output;
    if (!passed && !output.empty() && (verbose || target.result.diagnostics.empty())) {
      const std::string shown = Printable(TruncateMiddle(output, 8000));
      for (const absl::string_view line : SplitLines(shown))
        absl::StrAppend(&text, "    ", line, "\n");
    }
  }
  return absl::StrCat(text, VerdictName(report.verdict), ": ", OneLine(report.summary), "\n");
}

int ValidationExitCode(const ValidationReport& report, bool allow_flaky) {
  switch (report.verdict) {
    case Verdict::kPass:
    case Verdict::kRemoved:
      return 0;
    case Verdict::kFlakyPass:
      return allow_flaky ? 0 : 1;
    case Verdict::kFail:
    case Verdict::kTimeout:
    case Verdict::kNoValidator:
    case Verdict::kSyntaxOnly:
    case Verdict::kChangedDuringRun:
      return 1;
    case Verdict::kInfraError:
      return 6;
  }
  return 6;
}

}  // namespace stile

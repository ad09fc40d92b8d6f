#include "agents/cli/validation_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/validation/report_text.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

ValidationReport ReportWith(Verdict verdict) {
  ValidationReport report;
  report.verdict = verdict;
  report.summary = "words";
  TargetReport target;
  target.validator = "tsc";
  target.root = "web";
  target.language = "typescript";
  target.result.verdict = verdict;
  target.result.command = "tsc -p .";
  report.targets.push_back(target);
  return report;
}

TEST(ValidationOutputTest, EachVerdictHasItsExitCode) {
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kPass), false), 0);
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kRemoved), false), 0);
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kFlakyPass), false), 1);
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kFlakyPass), true), 0);
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kFail), false), 1);
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kTimeout), false), 1);
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kNoValidator), false), 1);
  EXPECT_EQ(ValidationExitCode(ReportWith(Verdict::kInfraError), false), 6);
}

TEST(ValidationOutputTest, DiagnosticsAreLinesInTheStyleOfGcc) {
  ValidationReport report = ReportWith(Verdict::kFail);
  report.targets[0].result.diagnostics.push_back(
      {Severity::kError, "web/a.ts", 3, 5, "TS2322", "no\x1b number", {}});
  const std::string text = ValidationText(report, Terminal(), false);
  EXPECT_THAT(text, HasSubstr("web/a.ts:3:5: error: no^[ number [TS2322]\n"));
  EXPECT_THAT(text, HasSubstr("✗ tsc web (typescript, build): fail, 1 error\n"));
  EXPECT_THAT(text, HasSubstr("fail: words\n"));
}

TEST(ValidationOutputTest, OutputStandsInForMissingDiagnostics) {
  ValidationReport report = ReportWith(Verdict::kInfraError);
  report.targets[0].result.output = "cannot\nstart\n";
  EXPECT_THAT(ValidationText(report, Terminal(), false), HasSubstr("    cannot\n    start\n"));
}

TEST(ValidationOutputTest, JsonCountsErrorsAndWarnings) {
  ValidationReport report = ReportWith(Verdict::kFail);
  auto& diagnostics = report.targets[0].result.diagnostics;
  diagnostics.push_back({Severity::kError, "a", 1, 1, "", "e", {}});
  diagnostics.push_back({Severity::kWarning, "a", 2, 1, "", "w", {}});
  diagnostics.push_back({Severity::kNote, "a", 3, 1, "", "n", {}});
  const Json json = ToJson(report);
  EXPECT_EQ(json["success"], false);
  EXPECT_EQ(json["errorCount"], 1);
  EXPECT_EQ(json["warningCount"], 1);
  EXPECT_EQ(json["language"], "typescript");
  EXPECT_EQ(json["command"], "tsc -p .");
  EXPECT_EQ(json["targets"][0]["coverage"], nullptr);
}

}  // namespace
}  // namespace stile

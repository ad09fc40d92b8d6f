#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/unit/validators/diagnostics/test_summary_rows.h"
#include "validators/diagnostics/test_summary.h"

namespace stile {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();
TEST(TestSummaryOfJson, ReadsWhatCountsFailuresAndHasProof) {
  ExpectGreen({
      {R"({"results": [{"name": "ok", "passed": true}], "failures": 0})", 1},
      {R"({"results": {"a": "passed"}, "failures": 0})", 1},
      {R"({"results": 3, "failures": "0"})", 3},
      {R"({"results": {"passed": 3, "failed": 0}, "failures": []})", 3},
      {R"({"cases": [{"name": "a", "passed": true}, {"name": "b", "status": "skipped"}],
           "passed": 1, "failed": 0, "skipped": 1})",
       1},
      {R"({"file": "a.yaml", "passed": 1, "failures": 0, "results": [{"name": "a", "passed": true,
           "ms": 3, "stages": [{"name": "s", "runs": 1, "failures": []}]}]})",
       1},
      {R"({"ready": true, "failures": 0})", 1},
      {R"({"total": 5, "passed": 5})", 5},
      {R"({"tests": 5, "failures": 0, "errors": 0, "skipped": 2})", 3},
      {R"({"numTotalTestSuites":1,"numFailedTestSuites":0,"numRuntimeErrorTestSuites":0,
           "numTotalTests":3,"numPassedTests":2,"numFailedTests":0,"numPendingTests":1,
           "numTodoTests":0,"success":true,"wasInterrupted":false,"testResults":[]})",
       2},
      {"> x@1.0.0 test\n> mocha --reporter json\n\n{\n  \"stats\": {\n    \"suites\": 1,\n    "
       "\"tests\": 2,\n    \"passes\": 1,\n    \"pending\": 1,\n    \"failures\": 0\n  },\n  "
       "\"tests\": [{\"err\": {}}, {\"err\": {}}],\n  \"failures\": []\n}\n",
       1},
      {R"({"exitcode": 0, "summary": {"passed": 3, "total": 3, "collected": 3}, "tests": [
           {"outcome": "passed"}, {"outcome": "passed"}, {"outcome": "passed"}]})",
       3},
      {R"({"verdict": "pass", "success": true, "errorCount": 0, "targets": [
           {"level": "build", "verdict": "pass"},
           {"level": "test", "verdict": "pass", "tests": {"passed": 3, "failed": 0, "skipped": 1}}]})",
       3},
      {R"({"exit_code": 0, "stdout": "==== 3 passed in 0.1s ====\n", "stderr": ""})", 3},
      {R"(["1 passed in 0.1s", {"passed": 2, "failed": 0}])", 3},
      {"{\"level\":\"error\",\"msg\":\"as the test wants\",\"error\":\"x\"}\n1 passed in 0.1s", 1},
  });
  ExpectRed({
      {R"({"results": [{"name": "a", "passed": true}, {"name": "b"}], "failures": 1})", 1, 1},
      {R"({"results": [{"name": "a", "passed": false}, {"passed": true}], "failures": 0})", 1, 1},
      {R"({"results": [], "failures": 0})", 0, 0},
      {R"({"results": 0, "failures": 0})", 0, 0},
      {R"({"results": null, "failures": 0})", 0, kNotFound},
      {R"({"results": {"total": 0}, "failures": 0})", 0, 0},
      {R"({"results": [1], "failures": [{"name": "b"}]})", 0, 1},
      {R"({"failures": 0})", 0, kNotFound},
      {R"({"ok": true})", 0, kNotFound},
      {R"({"passed": 3})", 0, kNotFound},
      {R"({"ready": false, "failures": 2})", 0, 2},
      {R"({"ready": false, "failures": 0})", 0, 0, false},
      {R"({"ready": false, "failures": -1})", 0, kNotFound, false},
      {R"({"ready": true})", 0, kNotFound},
      {R"({"passed": 3, "failed": 0, "success": false})", 3, 0, false},
      {R"({"passed": 3, "failed": 0, "status": "FAILED"})", 3, 0, false},
      {R"({"passed": 3, "failed": 0, "exitCode": 1})", 3, 0, false},
      {R"({"passed": 3, "failed": 0, "error": "no disk"})", 3, 0, false},
      {R"({"passed": 3, "failed": 0, "total": 5})", 3, 0, false},
      {R"({"passed": 3, "failed": 0, "output": "==== 1 failed in 0.1s ===="})", 3, 1},
      {R"({"numTotalTests":1,"numPassedTests":1,"numFailedTests":0,"numFailedTestSuites":1,
           "numRuntimeErrorTestSuites":1,"success":false})",
       1, 1},
      {R"({"stats": {"tests": 3, "passes": 1, "pending": 0, "failures": 2}})", 1, 2},
      {R"({"exitcode": 1, "summary": {"passed": 1, "error": 1, "total": 2}})", 1, 1},
      {R"({"verdict": "pass", "errorCount": 0, "targets": [{"level": "build", "verdict": "pass"}]})",
       0, kNotFound},
      {R"({"verdict": "fail", "errorCount": 2, "targets": [{"level": "test", "verdict": "fail"}]})",
       0, 2},
      {R"({"verdict": "no_validator", "errorCount": 0, "targets": [{"level": "test",
           "verdict": "no_validator"}]})",
       0, kNotFound, false},
      {R"({"verdict": "fail", "errorCount": 1, "targets": [{"level": "test", "verdict": "fail",
           "tests": {"passed": 3, "failed": 1, "skipped": 0}}]})",
       3, 1},
      {R"({"verdict": "flaky_pass", "errorCount": 0, "targets": [{"level": "test",
           "verdict": "flaky_pass", "tests": {"passed": 3, "failed": 0, "skipped": 0}}]})",
       3, 0, false},
      {R"({"exit_code": 2, "stdout": "==== 3 passed in 0.1s ====\n"})", 3, 0, false},
      {R"({"code": 2, "stdout": "==== 3 passed in 0.1s ====\n", "signal": null})", 3, 0, false},
      {R"([{"passed": 2, "failed": 0}, {"passed": 2, "failed": 1}])", 4, 1},
      {R"([{"passed": 2, "failed": 0}, {"passed": 2, "failed": -1}])", 2, 0, false},
  });
}

TEST(TestSummaryOfJson, NumbersThatCannotBeAreNotGreen) {
  for (const Json& failures :
       {Json(-1), Json(0.5), Json(std::numeric_limits<double>::quiet_NaN()),
        Json(std::numeric_limits<double>::infinity()), Json("-1"), Json("NaN"), Json("Infinity"),
        Json("none"), Json(""), Json(false), Json(nullptr), Json::object()}) {
    const TestSummary summary =
        SummarizeTests(Json{{"results", Json::array({1})}, {"failures", failures}});
    EXPECT_FALSE(summary.ready()) << failures;
    EXPECT_EQ(summary.failures(), kNotFound) << failures;
  }
  EXPECT_FALSE(SummarizeTests(Json{{"passed", 3}, {"failed", "0"}}).ready());
  EXPECT_FALSE(SummarizeTests(Json{{"passed", "3"}, {"failed", 0}}).ready());
  EXPECT_EQ(SummarizeTests(Json("-1 failed, 3 passed in 0.1s")).failures(), kNotFound);
  EXPECT_EQ(SummarizeTests(Json("Tests run: 3, Failures: -1, Errors: 0")).failures(), kNotFound);
  EXPECT_FALSE(SummarizeTests(Json("3 passed in 1s\n-1 failed, 3 passed in 0.1s")).ready());
}

TEST(TestSummaryOfJson, NumbersThatDoNotFitAreTheLargest) {
  const std::string text = "99999999999999999999 failed, 99999999999 passed in 1s\n";
  const TestSummary summary = SummarizeTests(Json(text + text));
  EXPECT_EQ(summary.counts.passed, kMost);
  EXPECT_EQ(summary.failures(), kMost);
  EXPECT_EQ(SummarizeTests(Json(R"({"passed": 1, "failed": 18446744073709551615})")).failures(),
            kMost);
  EXPECT_EQ(SummarizeTests(Json(R"({"passed": 1, "failed": 1e300})")).failures(), kMost);
}

}  // namespace
}  // namespace stile

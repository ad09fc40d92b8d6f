#include "runtime/story/expectations.h"

#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ValidationReport Report(Verdict verdict) {
  ValidationReport report;
  report.verdict = verdict;
  report.summary = "1 of 2 targets pass";
  TargetReport target;
  target.validator = "tsc";
  target.root = "web";
  target.result.verdict = verdict;
  target.result.diagnostics = {{Severity::kError, "web/a.ts", 3, 5, "TS2304", "Cannot find name"}};
  report.targets.push_back(target);
  return report;
}

class ExpectationsTest : public ::testing::Test {
 protected:
  std::vector<UnmetExpectation> Check(Verdict verdict = Verdict::kPass) {
    auto unmet = CheckExpectations(expect_, dir_.path(), used_, [&](Level level) {
      levels_.push_back(level);
      return Report(verdict);
    });
    EXPECT_TRUE(unmet.ok()) << unmet.status();
    return *unmet;
  }
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    for (const auto& item : Check()) lines.push_back(item.line);
    return lines;
  }
  TempDir dir_;
  Expectations expect_;
  std::map<std::string, int> used_;
  std::vector<Level> levels_;
};

TEST_F(ExpectationsTest, NothingExpectedIsMetWithoutValidating) {
  EXPECT_THAT(Check(Verdict::kFail), IsEmpty());
  EXPECT_THAT(levels_, IsEmpty());
}

TEST_F(ExpectationsTest, CompilesAndTestsAreValidatedAtTheirLevels) {
  expect_.compiles = true;
  expect_.tests_pass = true;
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_THAT(levels_, ElementsAre(Level::kBuild, Level::kTest));
  for (const Verdict verdict :
       {Verdict::kFail, Verdict::kFlakyPass, Verdict::kTimeout, Verdict::kInfraError,
        Verdict::kNoValidator, Verdict::kChangedDuringRun}) {
    const auto unmet = Check(verdict);
    ASSERT_EQ(unmet.size(), 2u);
    EXPECT_EQ(unmet[0].kind, UnmetExpectation::Kind::kCompiles);
    EXPECT_THAT(unmet[0].line, HasSubstr(std::string(VerdictName(verdict))));
    EXPECT_THAT(unmet[0].details, HasSubstr("web/a.ts:3:5"));
    EXPECT_EQ(unmet[1].kind, UnmetExpectation::Kind::kTestsPass);
  }
}

TEST_F(ExpectationsTest, ExpectedFailureMustBeAFailure) {
  expect_.tests_pass = false;
  EXPECT_THAT(Check(Verdict::kFail), IsEmpty());
  EXPECT_EQ(Check(Verdict::kPass).size(), 1u);
  EXPECT_EQ(Check(Verdict::kInfraError).size(), 1u);
}

TEST_F(ExpectationsTest, NamedTestsMustHaveRunAndPassed) {
  expect_.passing_tests = {"test_a", "test_b", "test_c", "test_d"};
  const auto unmet = CheckExpectations(expect_, dir_.path(), {}, [](Level level) {
    EXPECT_EQ(level, Level::kTest);
    ValidationReport report;
    report.verdict = Verdict::kFail;  // of another test
    report.targets.emplace_back();
    ValidationResult& result = report.targets.back().result;
    result.verdict = Verdict::kFail;
    AddNamedTest("m.test_a[1]", TestOutcome::kPassed, &result.named_tests);
    AddNamedTest("m.test_b", TestOutcome::kFailed, &result.named_tests);
    AddNamedTest("m.test_c", TestOutcome::kSkipped, &result.named_tests);
    return report;
  });
  ASSERT_TRUE(unmet.ok());
  std::vector<std::string> lines;
  for (const UnmetExpectation& item : *unmet) lines.push_back(item.line);
  EXPECT_THAT(lines,
              ElementsAre("tests_pass: test_b: it failed", "tests_pass: test_c: it was skipped",
                          "tests_pass: test_d: no test of this name ran"));
}

// As make, or a script without a known runner.
TEST_F(ExpectationsTest, WhereNoTestIsNamedAllOfThemMustPass) {
  expect_.passing_tests = {"test_a"};
  ValidationReport report;
  report.targets.emplace_back();
  ValidationResult& result = report.targets.back().result;
  result.verdict = Verdict::kPass;
  result.tests = TestCounts{3, 0, 0};
  const auto unmet = [&] {
    return CheckExpectations(expect_, dir_.path(), {}, [&](Level) { return report; })->size();
  };
  EXPECT_EQ(unmet(), 0U);
  result.excused_errors = true;
  EXPECT_EQ(unmet(), 1U);
}

TEST_F(ExpectationsTest, NothingToJudgeIsNoPass) {
  expect_.compiles = true;
  const auto unmet =
      CheckExpectations(expect_, dir_.path(), {}, [](Level) { return ValidationReport{}; });
  ASSERT_TRUE(unmet.ok());
  ASSERT_EQ(unmet->size(), 1u);
  EXPECT_THAT((*unmet)[0].line, HasSubstr("nothing to judge"));
}

TEST_F(ExpectationsTest, AValidationThatCannotBeCarriedOutIsAStatus) {
  expect_.compiles = true;
  const auto unmet = CheckExpectations(expect_, dir_.path(), {}, [](Level) {
    return absl::StatusOr<ValidationReport>(absl::InternalError("broken"));
  });
  EXPECT_FALSE(unmet.ok());
}

TEST_F(ExpectationsTest, LooksIntoFiles) {
  dir_.Write("a.txt", "first\nsecond \xff line\n");
  dir_.MakeDir("folder");
  expect_.files_exist = {"a.txt", "folder", "missing"};
  expect_.file_contains = {{"a.txt", "^second.*line$"}, {"a.txt", "third"}, {"missing", "x"}};
  expect_.file_not_contains = {{"a.txt", "third"}, {"a.txt", "^fir"}, {"missing", "x"}};
  EXPECT_THAT(Lines(), ElementsAre("files_exist: missing does not exist",
                                   "file_contains: a.txt does not contain /third/",
                                   "file_contains: missing does not exist",
                                   "file_not_contains: a.txt still contains /^fir/"));
}

TEST_F(ExpectationsTest, NeverLooksOutsideTheWorkspace) {
  ASSERT_EQ(symlink("/etc", dir_.Path("door").c_str()), 0);
  expect_.files_exist = {"door/passwd", "../x", ".git/config"};
  expect_.file_contains = {{"door/passwd", "root"}};
  expect_.file_not_contains = {{"door/passwd", "no such text"}};
  EXPECT_EQ(Lines().size(), 5u);
}

TEST_F(ExpectationsTest, EachUnmetExpectationIsOneLine) {
  expect_.files_exist = {"a\nb\r\xff"};
  for (const std::string& line : Lines()) {
    EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos) << line;
  }
}

TEST_F(ExpectationsTest, ToolNamesCountInBothSpellings) {
  used_ = {{"code.refactor", 1}, {"file_write", 2}, {"file.read", 0}};
  expect_.tools_used = {"code_refactor", "file.write"};
  EXPECT_THAT(Lines(), IsEmpty());
  expect_.tools_used = {"file.read"};
  EXPECT_THAT(Lines(), ElementsAre("tools_used: file.read was not called successfully"));
}

}  // namespace
}  // namespace stile

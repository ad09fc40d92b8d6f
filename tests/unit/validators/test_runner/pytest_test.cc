#include "validators/test_runner/pytest.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"
#include "validators/diagnostics/junit_report.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

class Pytest : public testing::Test {
 protected:
  Pytest() : fixture_(NewPytestValidator(), "python") {}
  void SetUp() override {
    fixture_.Write("test_a.py", kGood);
    if (fixture_.Validate().verdict == Verdict::kNoValidator)
      GTEST_SKIP() << "pytest is not installed";
  }
  static constexpr char kGood[] =
      "import pytest\n\ndef test_good():\n    pass\n\n@pytest.mark.skip\ndef test_skip():\n    "
      "pass\n";
  ValidationFixture fixture_;
};

TEST_F(Pytest, FollowsTheCodeAndWritesNothing) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  ASSERT_TRUE(result.tests.has_value());
  EXPECT_EQ(result.tests->passed, 1);
  EXPECT_EQ(result.tests->skipped, 1);

  fixture_.Write("helper.py", "def check(x):\n    assert x == 2, 'not <two> & \"é\"'\n");
  fixture_.Write("test_b.py", "import helper\n\ndef test_bad():\n    helper.check(1)\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].file, "helper.py");
  EXPECT_EQ(result.diagnostics[0].line, 2);
  EXPECT_THAT(result.diagnostics[0].message,
              HasSubstr("test_bad: AssertionError: not <two> & \"é\""));
  EXPECT_EQ(result.tests->failed, 1);
  EXPECT_EQ(result.message, "1 of 2 tests failed");
  fixture_.Write("helper.py", "def check(x):\n    pass\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
}

TEST_F(Pytest, FaultsWhileCollectingAreFailures) {
  fixture_.Write("test_b.py", "import nothing_here\n");
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "test_b.py");
  EXPECT_THAT(result.diagnostics[0].message, HasSubstr("No module named 'nothing_here'"));
  fixture_.Write("test_b.py", "def f(:\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "test_b.py");
}

TEST_F(Pytest, NoTestsIsAFailure) {
  fixture_.Remove("test_a.py");
  fixture_.Write("a.py", "x = 1\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.message, HasSubstr("no tests"));
}

TEST(PytestProject, NeedsSomethingThatLooksLikeATest) {
  ValidationFixture fixture(NewPytestValidator(), "python");
  fixture.Write("pyproject.toml", "[project]\nname = \"x\"\n");
  fixture.Write("tested.py", "x = 1\n");
  EXPECT_FALSE(fixture.validator().Applies(fixture.Look()));
  Language language;
  language.test_names = {"tested.py"};
  Project project = fixture.Look();
  project.language = &language;
  EXPECT_TRUE(fixture.validator().Applies(project));
  for (const char* name : {"tests/test_a.py", "a_test.py", "sub/conftest.py"}) {
    fixture.Write(name, "");
    EXPECT_TRUE(fixture.validator().Applies(fixture.Look())) << name;
    fixture.Remove(name);
    EXPECT_FALSE(fixture.validator().Applies(fixture.Look())) << name;
  }
  fixture.Write("pyproject.toml", "[tool.pytest.ini_options]\npython_files = [\"check_*.py\"]\n");
  EXPECT_TRUE(fixture.validator().Applies(fixture.Look()));
}

TEST_F(Pytest, TestThatPassesOnlyWhenRepeatedIsFlaky) {
  fixture_.Write("test_b.py",
                 "import os\nflag = os.environ['FLAG_FILE']\n\ndef test_second_time():\n    seen = "
                 "os.path.exists(flag)\n    open(flag, 'w').close()\n    assert seen\n");
  TempDir outside;
  fixture_.environment()["FLAG_FILE"] = outside.Path("flag");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFlakyPass) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::kWarning);
  EXPECT_THAT(result.message, HasSubstr("repeated"));
}

TEST_F(Pytest, CrashSlownessAndAbsenceNeverPass) {
  fixture_.Write("test_b.py", "import os\n\ndef test_exit():\n    os._exit(0)\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
  fixture_.Write("test_b.py", "import time\n\ndef test_hang():\n    time.sleep(3600)\n");
  fixture_.set_timeout(absl::Seconds(3));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
}

TEST(JunitReportTest, CasesAreRead) {
  const auto cases = ParseJunitReport(
      "<?xml version='1.0'?><testsuites><testsuite name=\"s\"><!-- <testcase> -->\n"
      "<testcase classname='c' name='a&lt;b' file=\"f.py\" line=\"3\"/>"
      "<testcase name=\"d\"><failure message=\"m&#10;n\">x &gt; "
      "<![CDATA[<y>]]></failure></testcase>"
      "<testcase name=\"e\"><skipped/></testcase>"
      "<testcase "
      "name=\"f\"><system-out>&lt;failure</system-out></testcase></testsuite></testsuites>");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 4u);
  EXPECT_EQ((*cases)[0].name, "a<b");
  EXPECT_EQ((*cases)[0].line, 3);
  EXPECT_EQ((*cases)[1].outcome, JunitCase::Outcome::kFailed);
  EXPECT_EQ((*cases)[1].message, "m\nn");
  EXPECT_EQ((*cases)[1].details, "x > <y>");
  EXPECT_EQ((*cases)[2].outcome, JunitCase::Outcome::kSkipped);
  EXPECT_EQ((*cases)[3].outcome, JunitCase::Outcome::kPassed);
  std::vector<std::string> failed;
  const TestCounts counts =
      CountCases(*cases, [&failed](const JunitCase& test) { failed.push_back(test.name); });
  EXPECT_EQ(counts.passed, 2);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.skipped, 1);
  EXPECT_THAT(failed, ::testing::ElementsAre("d"));
}

// Found by fuzzing: the text went to a case that had moved. Fails under the address sanitizer.
TEST(JunitReportTest, TextBelongsToTheCaseInWhichItStands) {
  const auto cases = ParseJunitReport(
      "<testsuite><testcase name=\"a\"><failure message=\"m\">text<testcase name=\"b\"/>"
      "<testcase name=\"c\"/><testcase name=\"d\"/> more</failure></testcase></testsuite>");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 4u);
  EXPECT_EQ((*cases)[0].details, "text");
  EXPECT_EQ((*cases)[3].details, "");
}

TEST(JunitReportTest, IncompleteReportIsAnError) {
  const std::string whole =
      "<testsuites><testsuite name=\"s\"><testcase name=\"d\"><failure message=\"m\">x</failure>"
      "</testcase><!-- c --></testsuite>";
  ASSERT_TRUE(ParseJunitReport(whole).ok());
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(ParseJunitReport(whole.substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(ParseJunitReport("no tests ran").ok());
}

}  // namespace
}  // namespace stile

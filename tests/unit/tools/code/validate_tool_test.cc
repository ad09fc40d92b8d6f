#include "tools/code/validate_tool.h"

#include "absl/strings/str_cat.h"
#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

using testing::HasSubstr;
using testing::Not;

// Answers with a prepared report and remembers what it was asked.
class FakeService : public ValidationService {
 public:
  absl::StatusOr<ValidationReport> Validate(const ValidateArguments& arguments) override {
    asked = arguments;
    return answer;
  }
  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>&) override {
    return ProbeReport();
  }
  ValidateArguments asked;
  absl::StatusOr<ValidationReport> answer = ValidationReport();
};

TargetReport Target(Verdict verdict) {
  TargetReport target;
  target.validator = "tsc";
  target.root = "web";
  target.language = "typescript";
  target.result.verdict = verdict;
  target.result.command = "tsc --noEmit";
  target.result.duration = absl::Milliseconds(1500);
  return target;
}

class ValidateToolTest : public ToolFixture {
 protected:
  ValidateToolTest() { Add(NewCodeValidateTool(&service_)); }
  ToolResult Of(TargetReport target) {
    ValidationReport report;
    report.verdict = target.result.verdict;
    report.targets.push_back(std::move(target));
    service_.answer = report;
    return Ok("code.validate", Json::object());
  }
  FakeService service_;
};

TEST_F(ValidateToolTest, PassesItsArgumentsOn) {
  Write("web/a.ts", "let a;\n");
  Ok("code.validate", {{"path", "web/../web/"}, {"language", "auto"}, {"level", "TEST"}});
  EXPECT_EQ(service_.asked.project_path, "web");
  EXPECT_EQ(service_.asked.language, "auto");
  EXPECT_EQ(service_.asked.level, Level::kTest);
  Ok("code.validate", Json::object());
  EXPECT_EQ(service_.asked.project_path, "");
  EXPECT_FALSE(service_.asked.level.has_value());
  Error("code.validate", {{"projectPath", "../x"}});
  Error("code.validate", {{"projectPath", "web/none"}});
  Error("code.validate", {{"level", "deploy"}});
}

TEST_F(ValidateToolTest, APassSaysThatNothingIsLeft) {
  TargetReport target = Target(Verdict::kPass);
  target.result.files_read = std::vector<std::string>{"web/a.ts", "web/b.ts"};
  const ToolResult result = Of(target);
  EXPECT_EQ(result.data["success"], true);
  EXPECT_EQ(result.data["targets"][0]["coverage"], 2);
  EXPECT_EQ(result.data["command"], "tsc --noEmit");
  EXPECT_THAT(result.text, HasSubstr("web (tsc, build): pass (1.5 s)"));
  EXPECT_THAT(result.text, HasSubstr("Nothing is left to validate"));
}

TEST_F(ValidateToolTest, AFailShowsLinesCaretsAndFixes) {
  Write("web/a.ts", "let a;\n\tlet b = foo;\n");
  TargetReport target = Target(Verdict::kFail);
  Diagnostic diagnostic{Severity::kError,          "web/a.ts", 2, 10, "TS2304",
                        "Cannot find name 'foo'.", {}};
  diagnostic.fixes.push_back({"", "web/a.ts", 2, 10, 2, 13, "food"});
  target.result.diagnostics = {diagnostic,
                               {Severity::kWarning, "web/a.ts", 1, 5, "", "unused", {}}};
  const ToolResult result = Of(target);
  EXPECT_EQ(result.data["success"], false);
  EXPECT_EQ(result.data["errorCount"], 1);
  EXPECT_EQ(result.data["warnings"][0]["message"], "unused");
  EXPECT_THAT(result.text,
              HasSubstr("web/a.ts:2:10: error: Cannot find name 'foo'. [TS2304]\n"
                        "  2 | \tlet b = foo;\n"
                        "    | \t        ^\n"
                        "  suggested fix: replace line 2 columns 10-12 with `food`\n"));
  EXPECT_THAT(result.text, HasSubstr("web/a.ts:1:5: warning: unused"));
}

TEST_F(ValidateToolTest, ManyErrorsAreCounted) {
  TargetReport target = Target(Verdict::kFail);
  for (int i = 1; i <= 600; ++i) {
    target.result.diagnostics.push_back(
        {Severity::kError, "gone.ts", i, 1, "E", absl::StrCat("m", i), {}});
  }
  const ToolResult result = Of(target);
  EXPECT_THAT(result.text, HasSubstr("m20 "));
  EXPECT_THAT(result.text, Not(HasSubstr("m21 ")));
  EXPECT_THAT(result.text, HasSubstr("[580 more errors]"));
  EXPECT_EQ(result.data["errorCount"], 600);
  EXPECT_LE(result.data["errors"].size(), 500u);
}

TEST_F(ValidateToolTest, OtherVerdictsGiveTheirReasonAndTheHint) {
  TargetReport missing = Target(Verdict::kNoValidator);
  missing.result.message = "tsc is not installed";
  missing.result.toolchain.install_hint = "npm install typescript";
  ToolResult result = Of(missing);
  EXPECT_THAT(result.text, HasSubstr("tsc is not installed"));
  EXPECT_THAT(result.text, HasSubstr("npm install typescript"));
  TargetReport broken = Target(Verdict::kInfraError);
  broken.result.message = "tsc died";
  broken.result.output = "out of memory\xff";
  result = Of(broken);
  EXPECT_THAT(result.text, HasSubstr("INFRA_ERROR"));
  EXPECT_THAT(result.text, HasSubstr("tsc died"));
  EXPECT_THAT(result.text, HasSubstr("out of memory"));
  EXPECT_THAT(result.text, HasSubstr("command: tsc --noEmit"));
  TargetReport slow = Target(Verdict::kTimeout);
  slow.result.message = "no answer after 600 s";
  EXPECT_THAT(Of(slow).text, HasSubstr("no answer after 600 s"));
  TargetReport tests = Target(Verdict::kFail);
  tests.result.output = "FAILED test_a";
  tests.result.tests = TestCounts{3, 1, 0};
  result = Of(tests);
  EXPECT_THAT(result.text, HasSubstr("3 passed, 1 failed"));
  EXPECT_THAT(result.text, HasSubstr("FAILED test_a"));
}

TEST_F(ValidateToolTest, NamesWhatIsStillUnvalidated) {
  ValidationReport report;
  report.summary = "1 of 2 targets pass";
  report.remaining = {"web (tsc): src/a.ts"};
  service_.answer = report;
  const ToolResult result = Ok("code.validate", Json::object());
  EXPECT_THAT(result.text, HasSubstr("Still not validated:\n- web (tsc): src/a.ts"));
}

TEST_F(ValidateToolTest, OnlyBadArgumentsAreForTheModel) {
  service_.answer = absl::InvalidArgumentError("unknown language 'tpyescript'");
  EXPECT_THAT(Error("code.validate", {{"language", "tpyescript"}}), HasSubstr("unknown language"));
  service_.answer = absl::NotFoundError("state lost");
  EXPECT_FALSE(Call("code.validate", Json::object()).fatal.ok());
}

}  // namespace
}  // namespace stile

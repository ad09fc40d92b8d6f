#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "runtime/gate/gate.h"
#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Judgement::Kind;

// Code that holds more of the word "bad" than before has a new error of syntax.
class BadIsAnError : public SyntaxChecker {
 public:
  std::optional<std::vector<Diagnostic>> NewSyntaxErrors(const std::string& path,
                                                         absl::string_view before,
                                                         absl::string_view after) const override {
    if (!absl::EndsWith(path, ".word")) return std::nullopt;
    std::vector<Diagnostic> errors;
    if (absl::StrContains(after, "bad") && !absl::StrContains(before, "bad")) {
      errors.push_back({Severity::kError, path, 1, 1, "syntax", "unexpected 'bad'"});
    }
    return errors;
  }
};

class GateSyntaxTest : public testing::Test {
 protected:
  GateSyntaxTest() {
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "fine");
    world.syntax = &checker;
  }
  const BadIsAnError checker;
  GateWorld world;
};

TEST_F(GateSyntaxTest, WithoutACompilerOnlySyntaxIsChecked) {
  world.validator->available = false;
  world.Start();
  EXPECT_EQ(world.Validate().verdict, Verdict::kNoValidator) << "nothing has changed";
  world.workspace.Write("app/main.word", "finer");
  const ValidationReport report = world.Validate();
  EXPECT_EQ(report.verdict, Verdict::kSyntaxOnly);
  EXPECT_THAT(report.targets[0].result.message, HasSubstr("only the syntax of 1 changed file"));
  EXPECT_THAT(world.Finish().observation, HasSubstr("install word")) << "syntax is no pass";
  world.workspace.Write("app/main.word", "bad");
  const ValidationReport broken = world.Validate();
  EXPECT_EQ(broken.verdict, Verdict::kFail);
  ASSERT_EQ(broken.targets[0].result.diagnostics.size(), 1u);
  EXPECT_EQ(world.gate->failures().in_a_row, 1);
}

TEST_F(GateSyntaxTest, WhereAMissingCompilerIsReportedNewErrorsOfSyntaxKeepItShut) {
  world.validator->available = false;
  GateSettings settings;
  settings.no_validator = GateSettings::Policy::kReport;
  world.Start(settings);
  world.workspace.Write("app/main.word", "bad");
  world.Validate();
  EXPECT_THAT(world.Finish().observation, HasSubstr("app/main.word:1:1: error: unexpected 'bad'"));
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted) << "the failure is not remembered";
  EXPECT_THAT(world.Finish().uncovered, ElementsAre("app/main.word"));
}

TEST_F(GateSyntaxTest, SyntaxDoesNotLiftTheFailureOfACompiler) {
  GateSettings settings;
  settings.no_validator = GateSettings::Policy::kReport;
  world.Start(settings);
  world.workspace.Write("app/main.word", "bad");
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
  world.validator->available = false;
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kSyntaxOnly);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

}  // namespace
}  // namespace stile

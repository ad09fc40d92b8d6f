#include "validators/compiler/tool_validator.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

const Toolchain kTool = {true, "/usr/bin/tool", "tool 1.0", ""};
const Toolchain kSilent = {true, "/usr/bin/tool", "", ""};
const Toolchain kMissing = {false, "", "", "install the tool"};

// Finds one of `found` after the other, the last one from then on.
class ScriptedValidator : public ToolValidator {
 public:
  ScriptedValidator(std::vector<Toolchain> found, Verdict verdict, bool is_retried)
      : ToolValidator("scripted", Level::kTest, is_retried ? State::kRetriedCold : State::kTrusted),
        found_(std::move(found)),
        verdict_(verdict) {}

  bool Applies(const Project&) const override { return true; }
  Toolchain Probe(const Project&, const Environment&, ProcessRunner*) const override {
    const Toolchain& found = found_[std::min(probes++, found_.size() - 1)];
    return found;
  }

  mutable size_t probes = 0;
  mutable std::vector<bool> cold;             // of each judgement
  mutable std::vector<std::string> versions;  // likewise

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    cold.push_back(request.cold);
    versions.push_back(run->toolchain().version);
    return verdict_ == Verdict::kPass ? run->Pass({}) : run->InfraError("it fell over");
  }

  const std::vector<Toolchain> found_;
  const Verdict verdict_;
};

ValidationResult Validate(const ScriptedValidator& validator, const TempDir& state) {
  Project project;
  ValidationRequest request;
  request.project = &project;
  request.state_dir = state.path();
  request.clock = SystemClock();
  return validator.Validate(request).value();
}

ValidationResult Validate(const ScriptedValidator& validator) {
  return Validate(validator, TempDir());
}

TEST(ToolValidator, JudgesWithTheProgramThatItFound) {
  const ScriptedValidator validator({kTool}, Verdict::kPass, false);
  EXPECT_EQ(Validate(validator).verdict, Verdict::kPass);
  EXPECT_THAT(validator.versions, testing::ElementsAre("tool 1.0"));
  EXPECT_EQ(validator.id(), "scripted");
  EXPECT_EQ(validator.level(), Level::kTest);
}

TEST(ToolValidator, DoesNotJudgeWithoutAProgram) {
  for (const bool is_retried : {false, true}) {
    const ScriptedValidator missing({kMissing}, Verdict::kPass, is_retried);
    const ValidationResult result = Validate(missing);
    EXPECT_EQ(result.verdict, Verdict::kNoValidator);
    EXPECT_THAT(result.message, testing::HasSubstr("install the tool"));
    EXPECT_THAT(missing.cold, testing::IsEmpty());
    const ScriptedValidator silent({kSilent}, Verdict::kPass, is_retried);
    EXPECT_EQ(Validate(silent).verdict, Verdict::kInfraError);
    EXPECT_THAT(silent.cold, testing::IsEmpty());
  }
}

TEST(ToolValidator, AsksOnceMoreForAVersionThatDidNotCome) {
  const ScriptedValidator validator({kSilent, kTool}, Verdict::kPass, true);
  EXPECT_EQ(Validate(validator).verdict, Verdict::kPass);
  EXPECT_THAT(validator.versions, testing::ElementsAre("tool 1.0"));
}

TEST(ToolValidator, RepeatsAFailureWithoutStateOnlyWhereStateMayBeTheCause) {
  const ScriptedValidator trusted({kTool}, Verdict::kInfraError, false);
  EXPECT_EQ(Validate(trusted).verdict, Verdict::kInfraError);
  EXPECT_THAT(trusted.cold, testing::ElementsAre(false));
  const TempDir state;
  const ScriptedValidator passing({kTool}, Verdict::kPass, true);
  EXPECT_EQ(Validate(passing, state).verdict, Verdict::kPass);
  const ScriptedValidator failing({kTool}, Verdict::kInfraError, true);
  EXPECT_EQ(Validate(failing, state).verdict, Verdict::kInfraError);
  EXPECT_THAT(failing.cold, testing::ElementsAre(false, true));
  EXPECT_EQ(failing.probes, 1U);
}

}  // namespace
}  // namespace stile

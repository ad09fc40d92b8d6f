#include "validators/compiler/cold_retry.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

const Toolchain kOld = {true, "/usr/bin/tool", "tool 1.0", ""};
const Toolchain kNew = {true, "/usr/bin/tool", "tool 1.1", ""};
const Toolchain kElsewhere = {true, "/opt/bin/tool", "tool 1.1", ""};

TEST(ClaimState, EmptiesWhatOtherVersionsLeft) {
  const TempDir state;
  EXPECT_TRUE(*ClaimState(state.path(), {kOld}));
  state.Write("cache/x", "of 1.0");
  EXPECT_FALSE(*ClaimState(state.path(), {kOld}));
  EXPECT_TRUE(state.Exists("cache/x"));
  for (const std::vector<Toolchain>& tools :
       {std::vector<Toolchain>{kNew}, {kElsewhere}, {kElsewhere, kNew}, {kElsewhere}}) {
    state.Write("cache/x", "of another");
    EXPECT_TRUE(*ClaimState(state.path(), tools));
    EXPECT_FALSE(state.Exists("cache/x"));
  }
}

TEST(WithColdRetry, IsColdWhereverNoStateCanBeUsed) {
  const TempDir state;
  ValidationRequest request;
  request.state_dir = state.path();
  std::vector<bool> cold;
  Verdict verdict = Verdict::kPass;
  const auto run = [&](const Toolchain& tool) {
    return WithColdRetry(request, {tool}, [&](const ValidationRequest& attempt) {
      cold.push_back(attempt.cold);
      EXPECT_EQ(state.Exists("made"), !attempt.cold);
      state.Write("made", "");
      ValidationResult result;
      result.verdict = verdict;
      return absl::StatusOr<ValidationResult>(result);
    });
  };
  EXPECT_TRUE(run(kOld).ok());  // the first time
  EXPECT_TRUE(run(kOld).ok());
  EXPECT_TRUE(run(kNew).ok());  // after an upgrade
  EXPECT_THAT(cold, testing::ElementsAre(true, false, true));
  verdict = Verdict::kInfraError;
  EXPECT_TRUE(run(kNew).ok());  // tries once more without the state
  EXPECT_THAT(cold, testing::ElementsAre(true, false, true, false, true));
  request.cold = true;
  EXPECT_TRUE(run(kNew).ok());
  EXPECT_THAT(cold, testing::ElementsAre(true, false, true, false, true, true));
}

}  // namespace
}  // namespace stile

// A verdict against a target keeps the gate shut until the target passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::HasSubstr;
using Kind = Judgement::Kind;

class GateRefusalTest : public testing::Test {
 protected:
  GateRefusalTest() {
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "fine");
  }
  GateWorld world;
};

// The rule that no guess about inputs narrows: what was seen to fail, fails.
TEST_F(GateRefusalTest, AVerdictAgainstATargetHoldsWhateverItsInputsAreThoughtToBe) {
  world.Start();
  world.workspace.Write("app/notes.md", "bad");  // prose, and yet the validator reads it
  world.Validate({"app", "", std::nullopt, false});
  Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("app (word): its last validation ended with fail"));
  world.workspace.Write("other.md", "more");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.workspace.Write("app/notes.md", "fine");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass) << "a validation without arguments judges it";
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateRefusalTest, TimeoutsAndInfraErrorsHoldAsWell) {
  for (const char* word : {"slow-tool", "broken-tool", "flaky"}) {
    GateWorld other;
    other.workspace.Write("main.word", "fine");
    other.Start();
    other.workspace.Write("notes.md", "changed");
    other.workspace.Write("main.word", word);
    other.Validate();
    other.workspace.Write("main.word", "fine");
    EXPECT_EQ(other.Finish().kind, Kind::kRejected) << word;
    other.Validate();
    EXPECT_EQ(other.Finish().kind, Kind::kAccepted) << word;
  }
}

TEST_F(GateRefusalTest, AVerdictOfTestsThatNothingRequiredHolds) {
  world.Start();
  world.workspace.Write("app/notes.md", "bad");
  world.Validate({"app", "", Level::kTest, false});
  world.workspace.Write("app/notes.md", "good");
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("app (word-test): its last validation"));
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateRefusalTest, NothingIsRefusedOnTheContentThatWasFound) {
  world.workspace.Write("app/notes.md", "fine");
  world.Start();
  world.workspace.Write("app/notes.md", "bad");
  world.Validate({"app", "", std::nullopt, false});
  world.workspace.Write("app/notes.md", "fine");
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
}

TEST_F(GateRefusalTest, AVerdictAgainstATargetHoldsInTheNextRun) {
  world.Start();
  world.workspace.Write("app/notes.md", "bad");
  world.Validate({"app", "", std::nullopt, false});
  ASSERT_EQ(world.Finish().kind, Kind::kRejected);
  for (const bool closed : {false, true}) {  // killed, and ended
    if (closed) {
      ASSERT_TRUE(world.gate->Close(false).ok());
    }
    world.Start();
    EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
    world.workspace.Write("other.md", closed ? "1" : "2");
    EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  }
  world.workspace.Write("app/notes.md", "fine");
  world.Validate();
  ASSERT_EQ(world.Finish().kind, Kind::kAccepted);
  ASSERT_TRUE(world.gate->Close(true).ok());
  world.Start();
  world.workspace.Write("other.md", "3");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateRefusalTest, AVerdictAgainstATargetSurvivesAResume) {
  world.Start();
  world.workspace.Write("other.md", "more");
  PastValidations past;
  past.refusals = {{"word:app:build", Verdict::kTimeout}};
  world.gate->Restore(past);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

}  // namespace
}  // namespace stile

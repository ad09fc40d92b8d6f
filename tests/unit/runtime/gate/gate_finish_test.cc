// What a finish is judged by besides passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::HasSubstr;
using Kind = Judgement::Kind;

class GateFinishTest : public testing::Test {
 protected:
  GateFinishTest() {
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "fine");
  }
  GateWorld world;
};

TEST_F(GateFinishTest, FewerTestsMustNotRunThanBefore) {
  world.workspace.Write("app/main_test.word", "test: one test: two");
  GateSettings settings;
  settings.level = Level::kTest;
  world.Start(settings);
  world.workspace.Write("app/main_test.word", "test: one and only");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  const Judgement fewer = world.Finish();
  EXPECT_EQ(fewer.kind, Kind::kRejected);
  EXPECT_THAT(fewer.observation, HasSubstr("ran 2 tests before this run, and now it runs 1"));
  world.workspace.Write("app/main_test.word", "test: one test: other test: third");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateFinishTest, FewerTestsMustNotRunAfterAChangeOfTheCodeEither) {
  world.workspace.Write("app/main.word", "test: one test: two");
  GateSettings settings;
  settings.level = Level::kTest;
  world.Start(settings);
  world.workspace.Write("app/main.word", "test: one");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_THAT(world.Finish().observation, HasSubstr("ran 2 tests before this run"));
}

TEST_F(GateFinishTest, AReportOfFailedTestsIsAFailure) {
  GateSettings settings;
  settings.level = Level::kTest;
  world.Start(settings);
  world.workspace.Write("app/main.word", "test: one");
  world.test_validator->failed_by_report = 1;
  const ValidationReport report = world.Validate();
  EXPECT_EQ(report.verdict, Verdict::kFail);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.test_validator->failed_by_report = 0;
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateFinishTest, AnEditWhileEarlierTestsAreCountedIsSeen) {
  world.workspace.Write("app/main_test.word", "test: one");
  GateSettings settings;
  settings.level = Level::kTest;
  settings.coverage = GateSettings::Coverage::kOff;
  world.Start(settings);
  world.workspace.Write("app/main_test.word", "test: one test: two");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  world.test_validator->during_run = [this] { world.workspace.Write("app/main.word", "bad"); };
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateFinishTest, AFifoThatGitWouldReadKeepsItShut) {
  world.Start();
  ASSERT_EQ(mkfifo((world.workspace.path() + "/.gitignore").c_str(), 0600), 0);
  EXPECT_THAT(world.Finish().observation, HasSubstr(".gitignore is no file"));
}

}  // namespace
}  // namespace stile

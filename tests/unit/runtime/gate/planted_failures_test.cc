#include "runtime/gate/planted_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = Judgement::Kind;

NamedTests Tests(const std::vector<std::pair<std::string, TestOutcome>>& outcomes) {
  NamedTests tests;
  for (const auto& [name, outcome] : outcomes) AddNamedTest(name, outcome, &tests);
  return tests;
}

PlantedRun RunOf(Verdict verdict, NamedTests tests, std::set<std::string> planted) {
  PlantedRun run;
  run.files["t"].tests = std::move(planted);
  run.result.emplace();
  run.result->verdict = verdict;
  run.result->named_tests = std::move(tests);
  return run;
}

constexpr TestOutcome kPassed = TestOutcome::kPassed;
constexpr TestOutcome kFailed = TestOutcome::kFailed;

TEST(JudgePlantedTest, ATestThatFailedWithAPlantBeforeHasToFailNow) {
  const NamedTests plain = Tests({{"t.a", kPassed}, {"t.b", kPassed}});
  const PlantedRun now =
      RunOf(Verdict::kFail, Tests({{"t.a", kPassed}, {"t.b", kFailed}}), {"a", "b"});
  const PlantedRun then =
      RunOf(Verdict::kFail, Tests({{"t.a", kFailed}, {"t.b", kFailed}}), {"a", "b"});
  const PlantedReference reference{&plain, true, &then};
  const UnfailingTests judged = JudgePlanted(plain, now, &reference);
  EXPECT_THAT(judged.names, ElementsAre("t.a"));
  EXPECT_FALSE(judged.any);
}

TEST(JudgePlantedTest, ATestThatPassedWithAPlantBeforeAsWellIsExcused) {
  const NamedTests plain = Tests({{"t.a", kPassed}});
  const PlantedRun now = RunOf(Verdict::kPass, Tests({{"t.a", kPassed}}), {"a"});
  const PlantedReference reference{&plain, true, &now};
  const UnfailingTests judged = JudgePlanted(plain, now, &reference);
  EXPECT_THAT(judged.names, IsEmpty());
  EXPECT_FALSE(judged.any);
}

TEST(JudgePlantedTest, NewTestsAreJudgedWhereNoneFailed) {
  const NamedTests plain = Tests({{"t.a", kPassed}, {"t.b", kPassed}});
  const PlantedRun some =
      RunOf(Verdict::kFail, Tests({{"t.a", kPassed}, {"t.b", kFailed}}), {"a", "b"});
  EXPECT_THAT(JudgePlanted(plain, some, nullptr).names, IsEmpty());
  const PlantedRun none =
      RunOf(Verdict::kPass, Tests({{"t.a", kPassed}, {"t.b", kPassed}}), {"a", "b"});
  EXPECT_THAT(JudgePlanted(plain, none, nullptr).names, ElementsAre("t.a", "t.b"));
}

TEST(JudgePlantedTest, TestsWithoutPlantsAreComparedWhereTheSuiteIsTheSame) {
  const NamedTests plain = Tests({{"made", kPassed}, {"t.a", kPassed}});
  const PlantedRun now = RunOf(Verdict::kFail, Tests({{"made", kPassed}, {"t.a", kFailed}}), {"a"});
  PlantedRun then = RunOf(Verdict::kFail, Tests({{"made", kFailed}, {"t.a", kFailed}}), {"a"});
  const PlantedReference reference{&plain, true, &then};
  EXPECT_THAT(JudgePlanted(plain, now, &reference).names, ElementsAre("made"));
  then.files["t"].text = "another one";
  EXPECT_THAT(JudgePlanted(plain, now, &reference).names, IsEmpty());
}

TEST(JudgePlantedTest, TestsWithoutNamesHaveToFailAsAWhole) {
  PlantedRun now = RunOf(Verdict::kPass, {}, {});
  now.files["t"].is_program = true;
  const PlantedRun then = RunOf(Verdict::kFail, {}, {});
  const NamedTests none;
  const PlantedReference failing{&none, true, &then};
  const PlantedReference passing{&none, true, &now};
  const PlantedReference red{&none, false, &then};
  EXPECT_TRUE(JudgePlanted(none, now, &failing).any);
  EXPECT_FALSE(JudgePlanted(none, now, &passing).any);
  EXPECT_TRUE(JudgePlanted(none, now, &red).any);
  EXPECT_FALSE(JudgePlanted(none, now, nullptr).any);
}

TEST(JudgePlantedTest, TestsOfFilesThatCannotBeBuiltAreNotJudged) {
  const NamedTests plain = Tests({{"t.a", kPassed}});
  PlantedRun now = RunOf(Verdict::kPass, Tests({{"t.a", kPassed}}), {});
  now.left_out = {"a"};
  EXPECT_THAT(JudgePlanted(plain, now, nullptr).names, IsEmpty());
}

// Plants "bad" into every file of tests: what WordValidator reports.
class WordPlanter : public WeakeningDetector {
 public:
  bool Reads(const std::string&) const override { return false; }
  std::vector<Weakening> Compare(const std::vector<ContentPair>&,
                                 const WorkspaceFiles&) const override {
    return {};
  }
  TestsTakenOut FindTestsTakenOut(const std::vector<ContentPair>&) const override { return {}; }
  OldSuite FindOldSuite(const std::vector<ContentPair>&, const std::vector<TextsByPath>&,
                        const WorkspaceFiles&) const override {
    return {};
  }
  std::optional<OldSuite::Cut> WithoutTestAt(const std::string&, const std::string&,
                                             int) const override {
    return std::nullopt;
  }
  bool HoldsTests(const std::string& path) const override {
    return absl::StrContains(path, "_test.");
  }
  std::optional<PlantedFile> PlantFailures(const std::string&,
                                           const std::string& text) const override {
    ++plants;
    return PlantedFile{absl::StrCat(text, " badness"), {}, true};
  }
  mutable int plants = 0;
};

class PlantedFailuresTest : public testing::Test {
 protected:
  PlantedFailuresTest() {
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "test: one");
    world.workspace.Write("app/main_test.word", "checks");
    world.weakening = &planter;
  }
  void Start(std::vector<Allowance> allow = {}) {
    GateSettings settings;
    settings.level = Level::kTest;
    settings.allow = std::move(allow);
    world.Start(settings);
    world.workspace.Write("app/main.word", "test: one, finer");
    EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  }
  WordPlanter planter;
  GateWorld world;
};

TEST_F(PlantedFailuresTest, TestsThatFailWithAPlantLetTheRunFinish) {
  Start();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  const int runs = world.test_validator->runs;
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_EQ(world.test_validator->runs, runs);  // asked once of one content
}

TEST_F(PlantedFailuresTest, TestsThatPassWithAPlantAreRefused) {
  world.test_validator->blind_to = "app/main_test.word";
  world.test_validator->blind_when = "silent";
  world.workspace.Write("app/word.lock", "");
  Start();
  world.workspace.Write("app/word.lock", "silent");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("the tests (word-test) cannot fail"));
  EXPECT_THAT(verdict.observation, HasSubstr("--allow weakened_tests=app/main_test.word"));
}

TEST_F(PlantedFailuresTest, TestsThatNeverFailedAreNotTheRunsFault) {
  world.test_validator->blind_to = "app/main_test.word";
  Start();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(PlantedFailuresTest, TheTaskCanAllowIt) {
  world.test_validator->blind_to = "app/main_test.word";
  world.test_validator->blind_when = "silent";
  world.workspace.Write("app/word.lock", "");
  Start({{"weakened_tests", "app/**"}});
  world.workspace.Write("app/word.lock", "silent");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  const Judgement judgement = world.Finish();
  ASSERT_EQ(judgement.tolerated.size(), 1u);
  EXPECT_EQ(judgement.tolerated[0].rule, "test-cannot-fail");
}

TEST_F(PlantedFailuresTest, NothingIsAskedOfTestsThatNoChangeConcerns) {
  GateSettings settings;
  settings.level = Level::kTest;
  world.Start(settings);
  world.workspace.Write("README", "prose");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_EQ(planter.plants, 0);
}

}  // namespace
}  // namespace stile

#include "runtime/coverage/coverage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/coverage/canary.h"
#include "tests/support/gate_world.h"

namespace stile {
namespace {

using Kind = Judgement::Kind;
using testing::AllOf;
using testing::HasSubstr;

constexpr char kPlantable[] =
    "id: word\n"
    "name: Word\n"
    "extensions: [.word]\n"
    "project_files: [word.project]\n"
    "build_files: [word.lock]\n"
    "comment: '#'\n"
    "validators: {build: [word], test: [word-test]}\n"
    "canary: {meaning: 'bad$id'}\n"
    "install_hint: install word\n";

// A world whose language has canaries, and whose judge can be told to look away.
class CoverageTest : public testing::Test {
 protected:
  CoverageTest() {
    world_.languages = *LanguageRegistry::Load({{"word.yaml", kPlantable}});
    world_.workspace.Write("p/word.project", "");
    world_.workspace.Write("p/a.word", "good");
    world_.workspace.Write("p/b.word", "good");
  }
  Judgement ValidateAndFinish() {
    world_.Validate();
    return world_.Finish();
  }
  GateWorld world_;
};

TEST_F(CoverageTest, AListingCoversWhatItNames) {
  world_.Start();
  world_.workspace.Write("p/a.word", "better");
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 1) << "no experiment is needed";
}

TEST_F(CoverageTest, AFileThatWasListedBeforeAndIsNotNowKeepsTheGateShut) {
  world_.Start();
  world_.workspace.Write("p/a.word", "better");
  world_.validator->files_read = {{"p/b.word"}};
  world_.validator->in_copies = {{"p/a.word", "p/b.word"}};
  const Judgement verdict = ValidateAndFinish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("p/a.word: it was part of the build of word"));
  const int runs = world_.validator->runs;
  EXPECT_EQ(world_.Finish().kind, Kind::kRejected);
  EXPECT_EQ(world_.validator->runs, runs) << "the same content is judged once";
}

TEST_F(CoverageTest, WithoutAListingAnErrorPlantedInACopyMustBeReported) {
  world_.Start();
  world_.workspace.Write("p/a.word", "better");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 2);
  EXPECT_EQ(world_.workspace.Read("p/a.word"), "better") << "planted in the copy only";
  EXPECT_EQ(world_.Finish().evidence[0]["coverage"]["by"], "canary");
  EXPECT_EQ(world_.gate->failures().in_a_row, 0) << "an experiment is no validation";
}

TEST_F(CoverageTest, AJudgeThatLooksAwayCoversNothing) {
  world_.Start();
  world_.workspace.Write("p/c.word", "new");
  world_.validator->blind_to = "p/c.word";
  const Judgement verdict = ValidateAndFinish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("p/c.word: it is not part of the build of word"));
}

TEST_F(CoverageTest, WhatIsUncoveredCanBeReportedInstead) {
  GateSettings settings;
  settings.uncovered = GateSettings::Policy::kReport;
  world_.Start(settings);
  world_.workspace.Write("p/c.word", "new");
  world_.validator->blind_to = "p/c.word";
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_THAT(world_.Finish().uncovered, testing::ElementsAre("p/c.word"));
}

TEST_F(CoverageTest, ListingsNeedNotBeBelieved) {
  GateSettings settings;
  settings.coverage = GateSettings::Coverage::kCanary;
  world_.Start(settings);
  world_.workspace.Write("p/c.word", "new");
  world_.validator->files_read = {{"p/a.word", "p/b.word", "p/c.word"}};
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 2);
  world_.workspace.Write("p/c.word", "newer");
  world_.validator->blind_to = "p/c.word";
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kRejected);
}

TEST_F(CoverageTest, OffAsksNothing) {
  GateSettings settings;
  settings.coverage = GateSettings::Coverage::kOff;
  world_.Start(settings);
  world_.workspace.Write("p/c.word", "new");
  world_.validator->blind_to = "p/c.word";
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 1);
}

TEST_F(CoverageTest, AChangedBuildFileDoubtsEveryFileAndEveryListing) {
  world_.Start();
  world_.workspace.Write("p/word.lock", "2");
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 2);
  world_.workspace.Write("p/word.lock", "3");
  world_.validator->blind_to = "p/b.word";  // also in the copy of the old content
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted) << "it was not checked before either";
  world_.workspace.Write("p/word.lock", "4");
  world_.validator->blind_when = "4";
  EXPECT_THAT(ValidateAndFinish().observation, HasSubstr("p/b.word: it was part of the build"));
}

TEST_F(CoverageTest, OldErrorsThatHideAFileExcuseNothingInIt) {
  world_.workspace.Write("p/b.word", "bad");
  world_.Start();
  world_.workspace.Write("p/a.word", "better");
  world_.validator->blind_to = "p/a.word";
  const Judgement verdict = ValidateAndFinish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("errors that were there before keep word"));
}

TEST_F(CoverageTest, AnEditDuringAnExperimentIsSeen) {
  world_.Start();
  world_.workspace.Write("p/a.word", "better");
  world_.Validate();
  world_.validator->during_run = [&] { world_.workspace.Write("p/a.word", "sneaked in"); };
  EXPECT_EQ(world_.Finish().kind, Kind::kRejected);
}

TEST_F(CoverageTest, NewCodeUnderAConditionThatDoesNotHoldIsNotCovered) {
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif fast\nbad\nend\n");
  const Judgement verdict = ValidateAndFinish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("the code under 'if fast' (line 2) is not checked"));
  const int runs = world_.validator->runs;
  EXPECT_EQ(world_.Finish().kind, Kind::kRejected);
  EXPECT_EQ(world_.validator->runs, runs) << "the same content is judged once";
  world_.workspace.Write("p/word.lock", "fast");
  world_.workspace.Write("p/a.word", "good\nif fast\nfine\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
}

TEST_F(CoverageTest, NewCodeIsCompiledUnderItsCondition) {
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif with_x\nfine\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  world_.workspace.Write("p/a.word", "good\nif with_x\nbad\nend\n");
  const Judgement verdict = ValidateAndFinish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation,
              HasSubstr("the code under 'if with_x' (line 2) does not compile where the condition "
                        "holds (--features with_x): p/a.word:3:1: error: bad"));
}

TEST_F(CoverageTest, WhatCannotBeCompiledHereSaysHowAPersonCan) {
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif windows\nfine\nend\n");
  EXPECT_THAT(ValidateAndFinish().observation,
              AllOf(HasSubstr("is not checked by this build"), HasSubstr("for another system"),
                    HasSubstr("--allow uncovered=p/a.word")));
  world_.validator->sets_switches = false;
  world_.workspace.Write("p/a.word", "good\nif with_x\nfine\nend\n");
  EXPECT_THAT(ValidateAndFinish().observation,
              AllOf(HasSubstr("is not checked by this build"),
                    HasSubstr("could not be compiled here with --features with_x")));
}

TEST_F(CoverageTest, ChangedCodeUnderAnOldConditionIsCompiled) {
  world_.workspace.Write("p/a.word", "good\nif with_x\none\nend\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif with_x\ntwo\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  world_.workspace.Write("p/a.word", "good\nif with_x\nbad\nend\n");
  EXPECT_THAT(ValidateAndFinish().observation, HasSubstr("p/a.word:3:1: error: bad"));
}

TEST_F(CoverageTest, OldErrorsUnderAnOldConditionRefuseNothing) {
  world_.workspace.Write("p/a.word", "good\nif with_x\nbad1\none\nend\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif with_x\nbad1\ntwo\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  world_.workspace.Write("p/a.word", "good\nif with_x\nbad1\nbad2\nend\n");
  EXPECT_THAT(ValidateAndFinish().observation, HasSubstr("p/a.word:4:1: error: bad2"));
}

TEST_F(CoverageTest, OldErrorsLeaveOpenWhatIsNewUnderTheSameCondition) {
  world_.workspace.Write("p/b.word", "if with_x\nbad\nend\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif with_x\nfine\nend\n");
  EXPECT_THAT(ValidateAndFinish().observation, HasSubstr("(p/b.word:2:1: error: bad"));
}

TEST_F(CoverageTest, AConditionThatHoldsCostsOneCopy) {
  world_.workspace.Write("p/word.lock", "with_x");
  world_.workspace.Write("p/a.word", "good\nif with_x\none\nend\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif with_x\ntwo\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 2);
}

TEST_F(CoverageTest, ChangedCodeThatNothingHereCompilesNeedsTheTasksWord) {
  world_.workspace.Write("p/a.word", "good\nif windows\none\nend\n");
  GateSettings settings;
  settings.allow = {{"uncovered", "p/b.word"}};
  world_.Start(settings);
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif windows\ntwo\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kRejected);
  world_.workspace.Write("p/a.word", "better\nif windows\none\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
}

TEST_F(CoverageTest, AnAllowanceAcceptsUnseenCode) {
  world_.workspace.Write("p/a.word", "good\nif windows\none\nend\n");
  GateSettings settings;
  settings.allow = {{"uncovered", "p/a.word"}};
  world_.Start(settings);
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif windows\ntwo\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.Finish().uncovered, std::vector<std::string>{"p/a.word"});
}

TEST_F(CoverageTest, AnOldConditionDoesNotTakeInWhatWasChecked) {
  world_.workspace.Write("p/a.word", "good\nif windows\none\nend\ntwo\nthree\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif windows\none\n  two\nend\nthree\n");
  const Judgement verdict = ValidateAndFinish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("was checked before this run and is not any more"));
}

TEST_F(CoverageTest, AConstantConditionExcusesOnlyWhatItHeld) {
  world_.workspace.Write("p/a.word", "good\nif never\none\nend\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif never\none\ntwo\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kRejected);
  world_.workspace.Write("p/a.word", "better\n  if never\n  one\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
}

TEST_F(CoverageTest, CodeMovesToAnotherFileWithItsCondition) {
  world_.workspace.Write("p/a.word", "good\nif windows\none\nend\n");
  world_.Start();
  world_.validator->files_read = {{"p/b.word", "p/c.word"}};
  std::filesystem::remove(world_.workspace.Path("p/a.word"));
  world_.workspace.Write("p/c.word", "good\nif windows\n\n  one\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  world_.workspace.Write("p/c.word", "good\nif windows\nbad\nend\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kRejected);
}

TEST_F(CoverageTest, AnEditElsewhereInTheFileAsksNothing) {
  world_.workspace.Write("p/a.word", "good\nif windows\none\nend\nlast\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/a.word", "good\nif windows\none\nend\nvery last\n");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 1);
}

TEST_F(CoverageTest, ABuildFileCannotTurnOffWhatWasChecked) {
  world_.workspace.Write("p/word.lock", "fast");
  world_.workspace.Write("p/b.word", "if fast\nfine\nend\n");
  world_.Start();
  world_.validator->files_read = {{"p/a.word", "p/b.word"}};
  world_.workspace.Write("p/word.lock", "");
  const Judgement verdict = ValidateAndFinish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation,
              HasSubstr("p/b.word: the code under 'if fast' (line 1) was checked before this run"));
}

TEST_F(CoverageTest, CopiesThatAKilledRunLeftAreRemovedAndThoseInUseAreNot) {
  world_.state.Write("scratch/scratch-dead/workspace/a.word", "left");
  world_.state.Write("scratch/scratch-used/workspace/a.word", "at work");
  const int lock =
      open(world_.state.Path("scratch/scratch-used.lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  world_.Start();
  world_.workspace.Write("p/a.word", "better");
  EXPECT_EQ(ValidateAndFinish().kind, Kind::kAccepted);
  EXPECT_EQ(world_.validator->runs, 2);
  EXPECT_THAT(*ListDirectory(world_.state.Path("scratch")),
              testing::UnorderedElementsAre("scratch-used", "scratch-used.lock"));
  close(lock);
}

TEST(CanaryTest, CannotBeForetold) {
  Language language;
  language.canary_meaning = {"one $id", "two $id", "three $id"};
  const std::string content = "order total customer\n";
  std::set<std::string> seen;
  for (uint64_t random = 0; random < 60; ++random) {
    const auto canary = PlantCanary(language, CanaryKind::kMeaning, content, random, false);
    seen.insert(canary->content.substr(content.size()));
    EXPECT_THAT(canary->content, testing::MatchesRegex("order total customer\n(one|two|three) "
                                                       "(Order|Total|Customer)[a-z][a-z][a-z]\n"));
  }
  EXPECT_GT(seen.size(), 50u);
}

TEST(CanaryTest, IsPlantedAtEitherEndAndCountsOnlyThere) {
  Language language;
  language.canary_meaning = {"bad $id $other"};
  const auto end = PlantCanary(language, CanaryKind::kMeaning, "a\nb", 7, false);
  EXPECT_THAT(end->content, testing::MatchesRegex("a\nb\nbad [A-Z][a-z]+ [A-Z][a-z]+\n"));
  const auto start = PlantCanary(language, CanaryKind::kMeaning,
                                 "\xEF\xBB\xBF"
                                 "a\n",
                                 7, true);
  EXPECT_THAT(start->content, testing::StartsWith("\xEF\xBB\xBF"
                                                  "bad "));
  EXPECT_THAT(start->content, testing::EndsWith("\na\n"));
  EXPECT_FALSE(PlantCanary(language, CanaryKind::kSyntax, "", 7, false).has_value());
  ValidationResult result;
  result.diagnostics.push_back({Severity::kError, "f", 1, 1, "", "elsewhere"});
  EXPECT_FALSE(IsReported(*end, "f", result));
  result.diagnostics.push_back({Severity::kError, "f", 3, 1, "", "there"});
  EXPECT_TRUE(IsReported(*end, "f", result));
  EXPECT_FALSE(IsReported(*end, "g", result));
}

}  // namespace
}  // namespace stile

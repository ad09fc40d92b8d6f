#include "runtime/gate/gate.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <filesystem>

#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Judgement::Kind;

class GateTest : public testing::Test {
 protected:
  GateTest() {
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "fine");
    world.workspace.Write("README.md", "prose");
  }
  GateWorld world;
};

TEST_F(GateTest, AcceptsAtOnceWhenNothingChanged) {
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
  EXPECT_EQ(world.validator->runs, 0);
}

TEST_F(GateTest, RejectsAChangeThatWasNotValidatedAndNamesTheFile) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_EQ(verdict.observation,
            "Cannot finish: 1 changed file is not validated (app/main.word). Run code.validate.");
}

TEST_F(GateTest, AcceptsAfterAPass) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, RejectsAnEditAfterThePass) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  world.workspace.Write("app/main.word", "finest");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateTest, ProseNeedsNoValidation) {
  world.Start();
  world.workspace.Write("README.md", "better prose with the word error");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, ARevertToTheBaselineIsClean) {
  world.Start();
  world.workspace.Write("app/main.word", "bad");
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
  world.workspace.Write("app/main.word", "fine");
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
}

TEST_F(GateTest, ValidatingAnotherProjectDoesNotHelp) {
  world.workspace.Write("lib/word.project", "");
  world.workspace.Write("lib/lib.word", "fine");
  world.Start();
  world.workspace.Write("app/main.word", "bad");
  EXPECT_EQ(world.Validate({"lib"}).verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateTest, AChangeInALibraryMakesItsDependantDirty) {
  world.workspace.Write("lib/word.project", "");
  world.workspace.Write("lib/lib.word", "fine");
  world.workspace.Write("app/word.project", "uses lib");
  world.Start();
  world.workspace.Write("lib/lib.word", "new");
  EXPECT_EQ(world.Validate({"lib"}).verdict, Verdict::kPass);
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.remaining, ElementsAre("app (word): lib/lib.word"));
}

TEST_F(GateTest, AnUnknownGraphMakesEveryProjectOfTheLanguageADependant) {
  world.workspace.Write("lib/word.project", "");
  world.workspace.Write("lib/lib.word", "fine");
  world.validator->unknown_graph = true;
  world.Start();
  world.workspace.Write("lib/lib.word", "new");
  EXPECT_EQ(world.Validate().targets.size(), 2u);
}

TEST_F(GateTest, FiveFailuresInARowExhaustIt) {
  world.Start();
  for (int i = 1; i <= 5; ++i) {
    EXPECT_FALSE(world.gate->failures_exhausted());
    world.workspace.Write("app/main.word", absl::StrCat("bad", i));
    world.Validate();
    EXPECT_EQ(world.gate->failures().in_a_row, i);
  }
  EXPECT_TRUE(world.gate->failures_exhausted());
}

TEST_F(GateTest, APassThatLeavesNothingDirtyResetsTheCount) {
  world.Start();
  world.workspace.Write("app/main.word", "bad");
  world.Validate();
  world.workspace.Write("app/main.word", "good");
  world.Validate();
  EXPECT_EQ(world.gate->failures().in_a_row, 0);
}

TEST_F(GateTest, APassElsewhereDoesNotResetTheCount) {
  world.workspace.Write("lib/word.project", "");
  world.workspace.Write("lib/lib.word", "fine");
  world.Start();
  world.workspace.Write("app/main.word", "bad");
  world.Validate();
  EXPECT_EQ(world.Validate({"lib"}).verdict, Verdict::kPass);
  EXPECT_EQ(world.gate->failures().in_a_row, 1);
}

TEST_F(GateTest, ATimeoutCountsAsAFailure) {
  world.Start();
  world.workspace.Write("app/main.word", "slow-tool");
  EXPECT_EQ(world.Validate().verdict, Verdict::kTimeout);
  EXPECT_EQ(world.gate->failures().in_a_row, 1);
}

TEST_F(GateTest, AnInfraErrorIsRetriedOnceAndIsNoFailureOfTheCode) {
  world.Start();
  world.workspace.Write("app/main.word", "broken-tool");
  EXPECT_EQ(world.Validate().verdict, Verdict::kInfraError);
  EXPECT_EQ(world.validator->runs, 2);
  EXPECT_EQ(world.gate->failures().in_a_row, 0);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_FALSE(world.gate->infra_errors_exhausted());
  world.Validate();
  EXPECT_TRUE(world.gate->infra_errors_exhausted());
}

TEST_F(GateTest, AFlakyPassOpensTheGateOnlyWhenAllowed) {
  world.Start();
  world.workspace.Write("app/main.word", "flaky");
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  GateSettings settings;
  settings.allow_flaky = true;
  world.workspace.Write("app/main.word", "fine");
  world.Start(settings);
  world.workspace.Write("app/main.word", "flaky");
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, AMissingCompilerRejectsWithItsHintOrIsReported) {
  world.validator->available = false;
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kNoValidator);
  EXPECT_THAT(world.Finish().observation, HasSubstr("install word"));
  GateSettings settings;
  settings.no_validator = GateSettings::Policy::kReport;
  world.workspace.Write("app/main.word", "fine");
  world.Start(settings);
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_THAT(world.Finish().uncovered, ElementsAre("app/main.word"));
}

TEST_F(GateTest, RemovingTheProjectFileDoesNotHideTheCode) {
  world.Start();
  world.workspace.Write("app/main.word", "bad");
  ASSERT_TRUE(DiskFileSystem()->RemoveFile(world.workspace.Path("app/word.project")).ok());
  world.Validate();
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("app/word.project was removed"));
}

TEST_F(GateTest, AProjectRemovedWithItsCodeNeedsNoValidation) {
  world.Start();
  ASSERT_TRUE(RemoveTree(world.workspace.Path("app")).ok());
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, ARemovedProjectLeavesItsDependantsToPass) {
  world.workspace.Write("lib/word.project", "");
  world.workspace.Write("lib/lib.word", "fine");
  world.workspace.Write("app/word.project", "uses lib");
  world.Start();
  ASSERT_TRUE(RemoveTree(world.workspace.Path("lib")).ok());
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, FilesInAProjectThatWasMergedIntoItsParentAreValidatedThere) {
  world.workspace.Write("app/sub/word.project", "");
  world.workspace.Write("app/sub/sub.word", "fine");
  world.Start();
  ASSERT_TRUE(DiskFileSystem()->RemoveFile(world.workspace.Path("app/sub/word.project")).ok());
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, AChangeWhileValidatingIsValidatedAgain) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.validator->during_run = [&] {
    if (world.validator->runs == 1) world.workspace.Write("app/main.word", "bad late edit");
  };
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
  EXPECT_EQ(world.validator->runs, 2 + 1) << "twice, and once on the baseline";
}

TEST_F(GateTest, AFileThatNeverHoldsStillIsNoPass) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.validator->during_run = [&] {
    world.workspace.Write("app/main.word", absl::StrCat("edit ", world.validator->runs));
  };
  EXPECT_EQ(world.Validate().verdict, Verdict::kChangedDuringRun);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateTest, OutputsOfAValidatorAreNoChange) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.validator->during_run = [&] { world.workspace.Write("app/report.txt", "built"); };
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  ASSERT_EQ(world.gate->Changes().size(), 1u);
  EXPECT_EQ(world.gate->Changes()[0].path, "app/main.word");
}

TEST_F(GateTest, AProjectThatWasBrokenBeforeMustOnlyNotGetWorse) {
  world.workspace.Write("app/old.word", "bad-old");
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  const ValidationReport report = world.Validate();
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_THAT(report.targets[0].result.message, HasSubstr("1 error"));
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  world.workspace.Write("app/main.word", "bad-new");
  const ValidationReport worse = world.Validate();
  EXPECT_EQ(worse.verdict, Verdict::kFail);
  ASSERT_EQ(worse.targets[0].result.diagnostics.size(), 1u);
  EXPECT_EQ(worse.targets[0].result.diagnostics[0].message, "bad-new");
}

TEST_F(GateTest, UnderTheStrictRuleABrokenBaselineIsNoExcuse) {
  world.workspace.Write("app/old.word", "bad-old");
  GateSettings settings;
  settings.baseline = GateSettings::Baseline::kStrict;
  world.Start(settings);
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
}

TEST_F(GateTest, ChangesInheritedFromBeforeTheRunAreDirtyFromTheStart) {
  world.workspace.Write("app/main.word", "bad edit of an earlier run");
  world.inherited["app/main.word"] = Sha256Of("fine");
  world.kept[Sha256Of("fine")] = "fine";
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail) << "the committed content is the baseline";
  world.workspace.Write("app/main.word", "fine");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted) << "back to the committed content";
}

TEST_F(GateTest, BreakingTheCodeInOneRunAndFinishingInTheNextDoesNotWork) {
  world.Start();
  world.workspace.Write("app/main.word", "bad");
  ASSERT_TRUE(world.gate->Refresh().ok());
  ASSERT_TRUE(world.gate->Close(/*accepted=*/false).ok());
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.workspace.Write("app/main.word", "mended");
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, AcceptedContentIsNotValidatedAgainInTheNextRun) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  ASSERT_EQ(world.Finish().kind, Kind::kAccepted);
  ASSERT_TRUE(world.gate->Close(/*accepted=*/true).ok());
  world.inherited["app/main.word"] = Sha256Of("fine");
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
}

TEST_F(GateTest, ObserveAcceptsAndSaysWhatItWouldHaveRefused) {
  GateSettings settings;
  settings.mode = GateSettings::Mode::kObserve;
  world.Start(settings);
  world.workspace.Write("app/main.word", "bad");
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kUngated);
  EXPECT_THAT(verdict.remaining, ElementsAre("app (word): app/main.word"));
}

TEST_F(GateTest, OnFinishValidateAsksForOneValidation) {
  GateSettings settings;
  settings.on_finish = GateSettings::OnFinish::kValidate;
  world.Start(settings);
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Finish().kind, Kind::kNeedsValidation);
  EXPECT_EQ(world.gate->JudgeFinish(/*validated=*/true)->kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, LevelTestDemandsTheTestsToo) {
  GateSettings settings;
  settings.level = Level::kTest;
  world.Start(settings);
  world.workspace.Write("app/main.word", "finer");
  ValidateArguments build_only;
  build_only.level = Level::kBuild;
  world.Validate(build_only);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_EQ(world.test_validator->runs, 2) << "here, and on what was found, to compare the counts";
}

TEST_F(GateTest, ALaterFailureOfTheSameContentTakesThePassBack) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  world.validator->available = false;
  world.Validate({"app", "", std::nullopt, false});
  world.validator->available = true;
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateTest, MtimesPutBackDoNotHideAChange) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  const std::string path = world.workspace.Path("app/main.word");
  struct stat before {};
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  world.workspace.Write("app/main.word", "fined");  // same size
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_THAT(world.validator->last_changed, ElementsAre("app/main.word"));
  EXPECT_FALSE(world.validator->last_cold);
  struct stat after {};
  ASSERT_EQ(stat(path.c_str(), &after), 0);
  EXPECT_GT(after.st_mtim.tv_sec * 1'000'000'000 + after.st_mtim.tv_nsec,
            before.st_mtim.tv_sec * 1'000'000'000 + before.st_mtim.tv_nsec)
      << "the build tool sees a fresh mtime";
}

TEST_F(GateTest, UnknownLanguageAndPathOutsideEveryProjectAreToldToTheModel) {
  world.Start();
  EXPECT_TRUE(absl::IsInvalidArgument(world.gate->Validate({"", "cobol"}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(world.gate->Validate({"docs"}).status()));
}

TEST_F(GateTest, WhatALinkLeadsToIsAnInputOfEveryTarget) {
  world.workspace.Write("data/payload.txt", "fine");
  std::filesystem::create_symlink("../data/payload.txt", world.workspace.Path("app/link.word"));
  world.Start();
  world.workspace.Write("data/payload.txt", "bad");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
  world.workspace.Write("data/payload.txt", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, AFolderLinkThatLeadsElsewhereMustBeValidated) {
  world.workspace.Write("v1/notes.txt", "1");
  world.workspace.Write("v2/notes.txt", "2");
  std::filesystem::create_directory_symlink("v1", world.workspace.Path("src"));
  world.Start();
  std::filesystem::remove(world.workspace.Path("src"));
  std::filesystem::create_directory_symlink("v2", world.workspace.Path("src"));
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, ALinkToAFolderThatTheGateCannotWatchKeepsItShut) {
  TempDir outside;
  outside.Write("main.word", "fine");
  world.Start();
  std::filesystem::create_directory_symlink(outside.path(), world.workspace.Path("app/src"));
  world.Validate();
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("app/src is a link to a folder"));
}

TEST_F(GateTest, WhatALinkShowsFromOutsideIsAnInput) {
  TempDir outside;
  outside.Write("main.word", "fine");
  std::filesystem::create_symlink(outside.Path("main.word"), world.workspace.Path("app/l.word"));
  world.Start();
  outside.Write("main.word", "bad");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateTest, DataWithinAProjectIsAnInputAndProseIsNot) {
  world.workspace.Write("app/table.inc", "1");
  world.workspace.Write("app/notes.md", "1");
  world.workspace.Write("elsewhere/data.json", "1");
  world.Start();
  world.workspace.Write("app/notes.md", "2");
  world.workspace.Write("elsewhere/data.json", "2");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  world.workspace.Write("app/table.inc", "2");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, SettingsAboveTheProjectsBelongToAllOfThem) {
  world.languages = *LanguageRegistry::Load({{"word.yaml",
                                              "id: word\nname: Word\nextensions: [.word]\n"
                                              "project_files: [word.project]\n"
                                              "build_files: [word.base]\ncomment: '#'\n"
                                              "validators: {build: [word], test: [word-test]}\n"
                                              "install_hint: install word\n"}});
  world.workspace.Write("word.base", "1");
  world.Start();
  world.workspace.Write("word.base", "2");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, AFileThatAValidatorWritesIsNoInput) {
  world.Start();
  int times = 0;
  world.validator->during_run = [&] {
    world.workspace.Write("app/report.xml", absl::StrCat(++times));
  };
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateTest, AFileWithTheWordsOfALinkIsNotTheLink) {
  std::filesystem::create_symlink("nowhere", world.workspace.Path("app/link.word"));
  world.Start();
  std::filesystem::remove(world.workspace.Path("app/link.word"));
  world.workspace.Write("app/link.word", "nowhere");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateTest, ALinkThatChangedMakesTheNextValidationCold) {
  world.workspace.Write("app/a.word", "fine");
  std::filesystem::create_symlink("a.word", world.workspace.Path("app/link.word"));
  world.Start();
  world.Validate({"app", "", std::nullopt, false});
  std::filesystem::remove(world.workspace.Path("app/link.word"));
  std::filesystem::create_symlink("main.word", world.workspace.Path("app/link.word"));
  world.Validate({"app", "", std::nullopt, false});
  EXPECT_TRUE(world.validator->last_cold);
}

TEST_F(GateTest, APassIsNoEvidenceForOtherContent) {
  world.workspace.Write("app/main.word", "bad");
  world.Start();
  world.workspace.Write("app/main.word", "fine");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  world.workspace.Write("app/main.word", "bad");
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
  EXPECT_EQ(world.Finish().evidence.size(), 0u);
}

TEST_F(GateTest, InfraErrorsOfOneTargetAreNotForgivenByAnother) {
  world.workspace.Write("zoo/word.project", "");
  world.workspace.Write("zoo/main.word", "fine");
  world.Start();
  world.workspace.Write("app/main.word", "broken-tool");
  for (int i = 0; i < 3; ++i) {
    world.workspace.Write("zoo/main.word", absl::StrCat("fine ", i));
    world.Validate();
  }
  EXPECT_TRUE(world.gate->infra_errors_exhausted());
}

TEST_F(GateTest, WhatAKilledRunChangedIsNotTheNextRunsGround) {
  world.Start();
  world.workspace.Write("app/main.word", "bad");
  ASSERT_TRUE(world.gate->Refresh().ok());
  world.Start();  // the first one never came to its Close
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateTest, AnAcceptedRunLeavesNothingPending) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  ASSERT_EQ(world.Finish().kind, Kind::kAccepted);
  ASSERT_TRUE(world.gate->Close(true).ok());
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
}

TEST_F(GateTest, PassesSurviveAResumeOnlyForTheSameContent) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  const Target* target = world.gate->targets().Find("word:app:build");
  ASSERT_NE(target, nullptr);
  PastValidations past;
  past.passes = {{"word:app:build", {{"inputs_sha256", ContentFingerprint(target->inputs)}}}};
  world.resume_from = world.gate->baseline();
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  past.failures = 2;
  world.gate->Restore(past);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_EQ(world.gate->failures().in_a_row, 2);
  EXPECT_EQ(world.Finish().evidence.size(), 1u);
  world.workspace.Write("app/main.word", "edited while the run was down");
  world.Start();
  world.gate->Restore(past);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

// What it rested on is asked again: the compiler may say something else by now, and which files it
// read is known to nobody.
TEST_F(GateTest, AResumedPassCountsOnlyIfItStillPasses) {
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  const Target* target = world.gate->targets().Find("word:app:build");
  ASSERT_NE(target, nullptr);
  PastValidations past;
  past.passes = {{"word:app:build", {{"inputs_sha256", ContentFingerprint(target->inputs)}}}};
  world.resume_from = world.gate->baseline();
  world.Start();
  past.failures = 2;
  past.failed_validations = 3;
  world.gate->Restore(past);
  const int runs = world.validator->runs;
  ASSERT_TRUE(world.gate->RevalidatePassed().ok());
  EXPECT_EQ(world.validator->runs, runs + 1);
  EXPECT_TRUE(world.validator->last_cold);
  EXPECT_EQ(world.gate->failures().in_a_row, 2);
  EXPECT_EQ(world.gate->failures().of_run, 3);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);

  world.validator->available = false;
  world.Start();
  world.gate->Restore(past);
  ASSERT_TRUE(world.gate->RevalidatePassed().ok());
  EXPECT_EQ(world.gate->failures().in_a_row, 2);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

}  // namespace
}  // namespace stile

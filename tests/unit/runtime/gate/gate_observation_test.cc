// The gate and what validators were seen to read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::HasSubstr;
using Kind = Judgement::Kind;

class GateObservationTest : public testing::Test {
 protected:
  GateObservationTest() {
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "fine");
    world.workspace.Write("app/README.md", "read me\n");
    world.runner = NewLocalProcessRunner();
  }

  void PassWithAChange(const std::string& content) {
    world.workspace.Write("app/main.word", content);
    ASSERT_EQ(world.Validate().verdict, Verdict::kPass);
  }

  GateWorld world;
};

TEST_F(GateObservationTest, WhatWasReadIsAnInputWhateverItsName) {
  world.validator->script = "cat README.md main.word";
  world.Start();
  PassWithAChange("finer");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  world.workspace.Write("app/README.md", "changed\n");
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("app/README.md"));
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateObservationTest, WhatNothingReadIsNone) {
  world.validator->script = "cat main.word";
  world.Start();
  PassWithAChange("finer");
  world.workspace.Write("app/README.md", "changed\n");
  world.workspace.Write("app/NOTICE", "new\n");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateObservationTest, WhatWasLookedForIsAnInputWhenItAppears) {
  world.validator->script = "test -e .editorconfig; cat LICENSE 2>/dev/null; cat main.word";
  world.Start();
  PassWithAChange("finer");
  world.workspace.Write("app/.editorconfig", "root = true\n");
  EXPECT_THAT(world.Finish().observation, HasSubstr("app/.editorconfig"));
  std::filesystem::remove(world.workspace.Path("app/.editorconfig"));
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  world.workspace.Write("app/LICENSE", "mine\n");
  EXPECT_THAT(world.Finish().observation, HasSubstr("app/LICENSE"));
}

TEST_F(GateObservationTest, WhatTheValidatorMakesIsAnInputAsItWasLeft) {
  world.validator->script = "cat main.word; date +%N > out.log; cat out.log";
  world.Start();
  PassWithAChange("finer");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_EQ(world.gate->validator_outputs().count("app/out.log"), 1U);
  world.workspace.Write("app/out.log", "another\n");
  EXPECT_THAT(world.Finish().observation, HasSubstr("app/out.log"));
  PassWithAChange("finest");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

// As a build in the shell leaves them behind, which no model has edited.
TEST_F(GateObservationTest, IgnoredFilesThatChangeAreValidatedWithoutAnotherTurn) {
  world.workspace.Write(".gitignore", "*.o\n");
  world.validator->script = "cat main.word; cat main.o 2>/dev/null; ! grep -q wrong main.o";
  world.Start();
  PassWithAChange("finer");
  world.workspace.Write("app/main.o", "built\n");
  const int runs = world.validator->runs;
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_GT(world.validator->runs, runs);
  world.workspace.Write("app/main.o", "wrong\n");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateObservationTest, IgnoredFilesThatAnEarlierRunReadAreInputsOfThisOne) {
  world.workspace.Write(".gitignore", "*.gen\n");
  world.workspace.Write("app/table.gen", "right\n");
  world.validator->script = "cat main.word table.gen; ! grep -q wrong table.gen";
  world.Start();
  PassWithAChange("finer");
  ASSERT_TRUE(world.gate->Close(true).ok());
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
  world.workspace.Write("app/table.gen", "wrong\n");
  world.workspace.Write("NOTES.md", "new\n");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

// Copies of the old content hold ignored files as they are now.
TEST_F(GateObservationTest, ABrokenIgnoredFileMakesNoErrorsOld) {
  world.workspace.Write(".gitignore", "gen/\n");
  world.workspace.Write("app/gen/table", "right\n");
  world.validator->files_read = {{"app/main.word"}};
  world.validator->script = "cat main.word gen/table";
  world.validator->bad_when = "app/gen/table";
  world.Start();
  PassWithAChange("finer");
  world.workspace.Write("app/gen/table", "wrong\n");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateObservationTest, FoldersThatAppearAreNoChange) {
  world.workspace.Write(".gitignore", "bin/\n");
  world.validator->script = "test -e bin; cat main.word";
  world.Start();
  PassWithAChange("finer");
  world.workspace.Write("app/bin/NOTES", "built\n");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

// As a build finds them that takes all files of a folder.
TEST_F(GateObservationTest, IgnoredFilesThatAppearInAListedFolderAreValidated) {
  world.workspace.Write(".gitignore", "gen.word\n");
  world.validator->script = "ls; cat *.word; ! grep -q wrong *.word";
  world.Start();
  PassWithAChange("finer");
  const int runs = world.validator->runs;
  world.workspace.Write("app/notes.md", "no build takes this\n");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_EQ(world.validator->runs, runs);
  world.workspace.Write("app/gen.word", "right\n");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  EXPECT_GT(world.validator->runs, runs);
  world.workspace.Write("app/gen.word", "wrong\n");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateObservationTest, FilesThatAppearInAFolderOfAnEarlierRunAreValidated) {
  world.workspace.Write(".gitignore", "gen.word\n");
  world.validator->script = "ls; cat *.word; ! grep -q wrong *.word";
  world.Start();
  PassWithAChange("finer");
  ASSERT_TRUE(world.gate->Close(true).ok());
  world.Start();
  EXPECT_EQ(world.Finish().kind, Kind::kUnchanged);
  world.workspace.Write("NOTES.md", "new\n");
  world.workspace.Write("app/gen.word", "wrong\n");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateObservationTest, AFolderThatAppearsWhereTheBuildLookedForOneIsValidated) {
  world.workspace.Write(".gitignore", "types/\n");
  world.validator->script = "ls types; cat main.word; ! grep -q wrong types/*";
  world.Start();
  PassWithAChange("finer");
  world.workspace.Write("app/types/a.word", "wrong\n");
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

// Build tools know what code depends on; of data they often do not.
TEST_F(GateObservationTest, AChangeOfDataIsValidatedCold) {
  world.workspace.Write("app/rates.txt", "3\n");
  world.validator->script = "cat main.word; test -z \"$COLD\" || ! grep -q wrong rates.txt";
  world.Start();
  PassWithAChange("finer");
  PassWithAChange("finest");
  EXPECT_FALSE(world.validator->last_cold);
  world.workspace.Write("app/rates.txt", "wrong\n");
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
}

// Nor of code that programs other than compilers read.
TEST_F(GateObservationTest, AChangeOfCodeThatAGeneratorReadIsValidatedCold) {
  world.workspace.Write("app/rates.word", "3\n");
  world.validator->named_compilers = {"cat"};
  world.validator->script = "cat main.word; test -z \"$COLD\" || ! grep -q wrong rates.word";
  world.Start();
  PassWithAChange("finer");
  PassWithAChange("finest");
  EXPECT_FALSE(world.validator->last_cold);
  world.workspace.Write("app/rates.word", "wrong\n");
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
}

TEST_F(GateObservationTest, WhatOthersMakeMeanwhileIsNoOutput) {
  world.validator->script = "cat main.word";
  world.validator->during_run = [&] { world.workspace.Write("app/other.log", "x\n"); };
  world.Start();
  PassWithAChange("finer");
  EXPECT_EQ(world.gate->validator_outputs().count("app/other.log"), 0U);
}

// What a build system does not do again, an earlier validation has read.
TEST_F(GateObservationTest, WhatAnEarlierValidationReadStaysAnInput) {
  world.validator->script = "if [ -n \"$COLD\" ]; then cat README.md; fi; cat main.word";
  world.Start();
  PassWithAChange("finer");
  EXPECT_TRUE(world.validator->last_cold);
  PassWithAChange("finest");
  EXPECT_FALSE(world.validator->last_cold);
  world.workspace.Write("app/README.md", "changed\n");
  EXPECT_THAT(world.Finish().observation, HasSubstr("app/README.md"));
}

TEST_F(GateObservationTest, WhatAnEarlierRunReadIsAnInputOfThisOne) {
  world.validator->script = "cat README.md main.word";
  world.Start();
  PassWithAChange("finer");
  ASSERT_TRUE(world.gate->Close(true).ok());
  world.Start();
  world.workspace.Write("app/README.md", "changed\n");
  EXPECT_THAT(world.Finish().observation, HasSubstr("app/README.md"));
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateObservationTest, BeforeAnyValidationWhatCodeNamesIsAnInput) {
  world.workspace.Write("app/main.word", "embeds README.md");
  world.Start();
  world.workspace.Write("app/README.md", "changed\n");
  world.workspace.Write("app/NOTICE", "new\n");
  const Judgement verdict = world.Finish();
  EXPECT_THAT(verdict.observation, HasSubstr("(app/README.md)"));
}

TEST_F(GateObservationTest, AListedFileThatNoCompilerOpenedIsNotCovered) {
  world.validator->named_compilers = {"cat"};
  world.validator->files_read = {{"app/main.word"}};
  world.validator->script = "wc -l main.word";
  world.Start();
  PassWithAChange("finer");
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation,
              HasSubstr("app/main.word: the build of word passes, but no process of its compiler "
                        "opened this file"));
  world.validator->script = "cat main.word";
  PassWithAChange("finest");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(GateObservationTest, AFileOfWhichTheCompilerReportedAnErrorIsNotCovered) {
  world.validator->named_compilers = {"cat"};
  world.validator->script = "cat main.word absent; true";
  for (const bool is_listed : {true, false}) {
    world.validator->files_read.reset();
    if (is_listed) world.validator->files_read = {{"app/main.word"}};
    world.Start();
    PassWithAChange(absl::StrCat("finer", is_listed));
    const Judgement verdict = world.Finish();
    EXPECT_EQ(verdict.kind, Kind::kRejected);
    EXPECT_THAT(verdict.observation,
                HasSubstr("the compiler ended with an error when it read app/main.word, and the "
                          "build went on; see what `word app` says"));
  }
  world.validator->script = "cat main.word absent || cat main.word";
  PassWithAChange("finest");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted) << "another attempt passed";
}

// The newest look counts: one that ended with an error follows one that passed.
TEST_F(GateObservationTest, AnErrorThatAColdRunIgnoresTakesThePassBack) {
  world.validator->named_compilers = {"cat"};
  world.validator->files_read = {{"app/main.word"}};
  world.validator->script = "cat main.word $(test -e mark && echo absent); true";
  world.Start();
  PassWithAChange("finer");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  world.workspace.Write("app/mark", "");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_THAT(world.Finish().observation, HasSubstr("the compiler ended with an error"));
}

TEST_F(GateObservationTest, AnOldErrorExplainsThatTheCompilerFailed) {
  world.validator->named_compilers = {"cat"};
  world.workspace.Write("app/old.word", "bad");
  world.validator->script = "cat main.word old.word absent; true";
  world.Start();
  PassWithAChange("finer");
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted) << world.Finish().observation;
  world.validator->script = "cat main.word absent; cat old.word absent; true";
  PassWithAChange("finest");
  EXPECT_THAT(world.Finish().observation, HasSubstr("the compiler ended with an error"));
}

TEST_F(GateObservationTest, AFileThatTheBuildPutsThereDoesNotCount) {
  world.validator->named_compilers = {"cat"};
  world.validator->files_read = {{"app/main.word"}};
  world.validator->script =
      "mv main.word kept; echo good > main.word; cat main.word; "
      "rm main.word; mv kept main.word";
  world.Start();
  PassWithAChange("finer");
  EXPECT_THAT(world.Finish().observation, HasSubstr("no process of its compiler opened this file"));
}

// A cache that answers for content it knows is asked again without what it keeps.
TEST_F(GateObservationTest, AWarmCacheIsAskedCold) {
  world.validator->named_compilers = {"cat"};
  world.validator->files_read = {{"app/main.word"}};
  world.validator->script =
      "key=$STATE/$(stat -c %s main.word); test -e \"$key\" || cat main.word; touch $key";
  world.Start();
  PassWithAChange("finer");
  PassWithAChange("finest");
  const int runs = world.validator->runs;
  PassWithAChange("finer");
  EXPECT_EQ(world.validator->runs, runs + 2);
  EXPECT_TRUE(world.validator->last_cold);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

// An error that only a cold run finds is found.
TEST_F(GateObservationTest, WhatTheColdRunSaysCounts) {
  world.validator->named_compilers = {"cat"};
  world.validator->files_read = {{"app/main.word"}};
  world.validator->script = "test -z \"$COLD\" || { cat main.word; ! grep -q wrong main.word; }";
  world.Start();
  PassWithAChange("finer");
  world.workspace.Write("app/main.word", "wrong");
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
}

TEST_F(GateObservationTest, EvidenceSaysHowInputsWereFound) {
  world.validator->script = "cat main.word";
  world.Start();
  PassWithAChange("finer");
  EXPECT_EQ(world.Finish().evidence[0]["inputs"], "observed");

  GateWorld blind;
  blind.workspace.Write("app/word.project", "");
  blind.workspace.Write("app/main.word", "fine");
  blind.Start();
  blind.workspace.Write("app/main.word", "finer");
  ASSERT_EQ(blind.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(blind.Finish().evidence[0]["inputs"], "listed");
}

}  // namespace
}  // namespace stile

// The gate and how compilers were called: in the workspace and in copies with planted errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Kind = Judgement::Kind;

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

// cc1 is a program that fails unless $STATE/ok is there, which the build of good code makes.
class CompilerWaysTest : public testing::Test {
 protected:
  CompilerWaysTest() {
    world_.languages = *LanguageRegistry::Load({{"word.yaml", kPlantable}});
    world_.workspace.Write("app/word.project", "");
    world_.workspace.Write("app/word.lock", "-n");
    world_.workspace.Write("app/main.word", "fine");
    world_.runner = NewLocalProcessRunner();
    std::filesystem::copy_file("/bin/cat", bin_.Path("cc1"));
    world_.validator->named_compilers = {"cc1"};
  }

  void PassAChange(const std::string& script) {
    world_.validator->script = absl::StrCat("PATH=", bin_.path(), ":$PATH\n",
                                            "grep -q bad main.word || touch $STATE/ok\n", script);
    world_.Start();
    world_.workspace.Write("app/main.word", "finer");
    EXPECT_EQ(world_.Validate().verdict, Verdict::kPass);
  }

  Judgement FinishAChange(const std::string& script) {
    PassAChange(script);
    return world_.Finish();
  }

  TempDir bin_;
  GateWorld world_;
};

TEST_F(CompilerWaysTest, ACompilerThatIsCalledAsInTheCopyIsBelieved) {
  const Judgement verdict = FinishAChange("cc1 -n main.word $STATE/ok");
  EXPECT_EQ(verdict.kind, Kind::kAccepted) << verdict.observation;
}

TEST_F(CompilerWaysTest, OneOfSeveralWaysIsEnough) {
  const Judgement verdict =
      FinishAChange("cc1 -n main.word $STATE/ok && cc1 -E main.word $STATE/ok");
  EXPECT_EQ(verdict.kind, Kind::kAccepted) << verdict.observation;
}

TEST_F(CompilerWaysTest, OtherArgumentsInTheWorkspaceKeepTheGateShut) {
  const Judgement verdict = FinishAChange(
      "case $(cat main.word) in finer) cc1 -E main.word $STATE/ok;; *) cc1 -n main.word "
      "$STATE/ok;; esac");
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation,
              HasSubstr("app/main.word: it was compiled with other arguments (-E) than the trial "
                        "copy"));
}

TEST_F(CompilerWaysTest, AWayThatFailsInTheWorkspaceDoesNotCount) {
  const Judgement verdict = FinishAChange(
      "case $(cat main.word) in finer) cc1 -n main.word absent; cc1 -E main.word;; "
      "*) cc1 -n main.word absent;; esac");
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("it was compiled with other arguments (-E"));
}

TEST_F(CompilerWaysTest, AnErrorThatNoCompilerReportedInTheCopyShowsNothing) {
  const Judgement verdict = FinishAChange("grep -q bad main.word || cc1 -E main.word");
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("by no process of the compiler"));
}

// make does not compile again what only a switch in its Makefile would change.
TEST_F(CompilerWaysTest, AWarmBuildIsAskedColdForItsPresentArguments) {
  PassAChange(
      "test -z \"$COLD\" -a -e $STATE/built || cc1 $(cat word.lock) main.word $STATE/ok && "
      "touch $STATE/built");
  world_.workspace.Write("app/word.lock", "-E");
  EXPECT_EQ(world_.Validate().verdict, Verdict::kPass);
  EXPECT_FALSE(world_.validator->last_cold);
  const Judgement verdict = world_.Finish();
  EXPECT_EQ(verdict.kind, Kind::kAccepted) << verdict.observation;
  EXPECT_TRUE(world_.validator->last_cold);
}

}  // namespace
}  // namespace stile

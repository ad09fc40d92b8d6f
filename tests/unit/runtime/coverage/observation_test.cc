#include "runtime/coverage/observation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/validation/validator.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Kind = FileUse::Kind;

std::set<std::string> Names(const std::map<std::string, CompiledFile>& files) {
  std::set<std::string> names;
  for (const auto& [name, file] : files) names.insert(name);
  return names;
}

class ObservationTest : public testing::Test {
 protected:
  ObservationTest() {
    place_.workspace = dir_.Path("ws");
    place_.copy = dir_.Path("state/tree");
    place_.compilers = {"cc1", "tsc", "-m mypy", "**/checker/**"};
    dir_.Write("bin/cc1", "");
    dir_.Write("bin/node", "");
    dir_.Write("ws/tools/cc1", "");
    dir_.Write("ws/node_modules/ts/bin/tsc", "");
    dir_.Write("lib/checker/index.js", "");
    place_.run_began = absl::Now() + absl::Seconds(5);
  }

  FileUse Use(const std::string& path, const std::string& program, const std::string& script = "",
              Kind kind = Kind::kRead) {
    FileUse use{dir_.Path(path), dir_.Path(program), script, kind};
    if (kind == Kind::kRead) use.runs = {Run(0)};
    return use;
  }

  // Files of which no compiler ended with success, after these errors were excused.
  static std::set<std::string> Ignored(Observation seen, const std::vector<Diagnostic>& excused) {
    ExcuseErrors(excused, &seen);
    std::set<std::string> ignored;
    for (const auto& [path, file] : seen.compiled) {
      if (PassedWays(file).empty()) ignored.insert(path);
    }
    return ignored;
  }

  static std::shared_ptr<const ProgramRun> Run(std::optional<int> status) {
    return std::make_shared<ProgramRun>(ProgramRun{{}, status});
  }

  std::set<std::string> Compiled(const FileUse& use) {
    return Names(InterpretUses({use}, place_).compiled);
  }

  TempDir dir_;
  ObservedPlace place_;
};

TEST_F(ObservationTest, TellsUsesInTheWorkspaceAndItsCopy) {
  const Observation seen = InterpretUses(
      {Use("ws/a.c", "bin/cat"), Use("state/tree/b.c", "bin/cc1"),
       Use("state/other/c.c", "bin/cc1"), Use("ws/out", "bin/ld", "", Kind::kWritten),
       Use("ws/absent", "bin/cc1", "", Kind::kMissing), Use("ws/.git/HEAD", "bin/git"),
       Use("ws/pkg/__pycache__/x.pyc", "bin/python"), Use("elsewhere/d.c", "bin/cc1")},
      place_);
  EXPECT_THAT(seen.read, UnorderedElementsAre("a.c", "b.c"));
  EXPECT_THAT(Names(seen.compiled), ElementsAre("b.c"));
  EXPECT_THAT(seen.written, ElementsAre("out"));
  EXPECT_THAT(seen.missing, ElementsAre("absent"));
}

TEST_F(ObservationTest, TellsWhatWasRunAndWhatOtherThanCompilersRead) {
  const std::string script = dir_.Path("ws/gen.py");
  const Observation seen = InterpretUses(
      {Use("ws/gen.py", "bin/python3", script), Use("ws/table.c", "bin/python3", script),
       Use("ws/checks.sh", "bin/dash"), Use("ws/tool", "ws/tool"), Use("ws/a.c", "bin/cc1")},
      place_);
  EXPECT_THAT(seen.ran, UnorderedElementsAre("gen.py", "checks.sh", "tool"));
  EXPECT_THAT(seen.read_by_tools, UnorderedElementsAre("gen.py", "table.c", "checks.sh", "tool"));
  place_.compilers = {};
  EXPECT_THAT(InterpretUses({Use("ws/a.c", "bin/cat")}, place_).read_by_tools, IsEmpty());
}

TEST_F(ObservationTest, AModuleThatPythonLooksForCompiledIsRun) {
  const std::string python = "bin/python3";
  const Observation seen = InterpretUses(
      {Use("ws/tools/__pycache__/rules.cpython-311.pyc", python, "check.py", Kind::kMissing),
       Use("ws/tools/rules.py", python, "check.py"), Use("ws/price.py", python, "check.py"),
       Use("ws/tools/__pycache__/names.cpython-311.pyc", python, "check.py"),
       Use("ws/tools/old.pyc", python, "check.py"), Use("ws/tools/fast.so", python, "check.py")},
      place_);
  EXPECT_THAT(seen.ran, UnorderedElementsAre("tools/rules.py", "tools/names.py",
                                             "tools/__pycache__/names.cpython-311.pyc",
                                             "tools/old.pyc", "tools/fast.so"));
}

TEST_F(ObservationTest, AModuleWhoseFolderNodeAsksForAPackageIsRun) {
  const std::string script = dir_.Path("ws/tools/check.js");
  const Observation seen = InterpretUses(
      {Use("ws/tools/package.json", "bin/node", script, Kind::kMissing),
       Use("ws/tools/rules.js", "bin/node", script), Use("ws/src/price.js", "bin/node", script),
       Use("ws/tools/table.json", "bin/node", script)},
      place_);
  EXPECT_THAT(seen.ran, ElementsAre("tools/rules.js"));
}

TEST_F(ObservationTest, AFileThatOneLooksForAndThenReadsIsThere) {
  const Observation seen = InterpretUses(
      {Use("ws/a.h", "bin/cc1", "", Kind::kMissing), Use("ws/a.h", "bin/cc1")}, place_);
  EXPECT_THAT(seen.missing, IsEmpty());
}

TEST_F(ObservationTest, ACompilerIsKnownByItsOwnNameOrByItsScript) {
  EXPECT_THAT(Compiled(Use("ws/a.c", "bin/cc1")), ElementsAre("a.c"));
  EXPECT_THAT(Compiled(Use("ws/a.c", "bin/node")), IsEmpty());
  EXPECT_THAT(Compiled(Use("ws/a.ts", "bin/node", dir_.Path("ws/node_modules/ts/bin/tsc"))),
              ElementsAre("a.ts"));
  EXPECT_THAT(Compiled(Use("ws/a.py", "bin/node", "-m mypy")), ElementsAre("a.py"));
  EXPECT_THAT(Compiled(Use("ws/a.py", "bin/node", dir_.Path("lib/checker/index.js"))),
              ElementsAre("a.py"));
  EXPECT_THAT(Compiled(Use("ws/a.py", "bin/node", "-m pip")), IsEmpty());
}

TEST_F(ObservationTest, DocumentsThatProgramsOnlyAskForAreNotMissing) {
  const Observation seen = InterpretUses({Use("ws/README.md", "bin/cargo", "", Kind::kSought),
                                          Use("ws/.editorconfig", "bin/csc", "", Kind::kSought),
                                          Use("ws/NOTES.md", "bin/cargo", "", Kind::kMissing)},
                                         place_);
  EXPECT_THAT(seen.missing, UnorderedElementsAre(".editorconfig", "NOTES.md"));
}

TEST_F(ObservationTest, ACompilerThatLoadsCodeOfTheWorkspaceIsNone) {
  const Observation seen =
      InterpretUses({Use("ws/a.c", "bin/cc1"), Use("ws/hook.so", "bin/cc1")}, place_);
  EXPECT_THAT(seen.compiled, IsEmpty());
}

TEST_F(ObservationTest, AFileThatIsReplacedAfterItWasOpenedIsNotWhatWasCompiled) {
  dir_.Write("ws/a.c", "one");
  const std::unique_ptr<ProcessRunner> local = NewLocalProcessRunner();
  ProcessRequest request;
  request.argv = {"/bin/cat", "a.c"};
  request.cwd = dir_.Path("ws");
  request.observed = {dir_.Path("ws")};
  const absl::StatusOr<ProcessResult> result = local->Run(request);
  ASSERT_TRUE(result.ok() && result->file_uses.has_value());
  place_.compilers = {"cat"};
  const Observation seen = InterpretUses(*result->file_uses, place_);
  ASSERT_EQ(seen.compiled.count("a.c"), 1U);
  const CompiledFile& file = seen.compiled.at("a.c");
  EXPECT_TRUE(IsStillCompiled(file));
  std::filesystem::rename(dir_.Path("ws/a.c"), dir_.Path("ws/kept"));
  EXPECT_FALSE(IsStillCompiled(file));
  std::filesystem::rename(dir_.Path("ws/kept"), dir_.Path("ws/a.c"));
  EXPECT_FALSE(IsStillCompiled(file)) << "put back, it has another ctime";
}

TEST_F(ObservationTest, ACompilerThatDidNotEndWithSuccessHasNotPassedItsFiles) {
  FileUse failed = Use("ws/a.c", "bin/cc1");
  FileUse mended = Use("ws/b.c", "bin/cc1");
  failed.runs = {Run(1), Run(std::nullopt)};
  mended.runs = {Run(1), Run(0)};
  Observation seen = InterpretUses({failed, mended}, place_);
  EXPECT_THAT(Names(seen.compiled), ElementsAre("a.c", "b.c"));
  EXPECT_THAT(Ignored(seen, {}), ElementsAre("a.c"));
  // A tool that reads it and ends with success is no witness.
  seen = InterpretUses({failed, Use("ws/a.c", "bin/node")}, place_);
  EXPECT_THAT(Ignored(seen, {}), ElementsAre("a.c"));
  // The command of a declared validator decides by itself.
  place_.compilers = {std::string(kAnyProgram)};
  EXPECT_THAT(Ignored(InterpretUses({failed}, place_), {}), IsEmpty());
}

TEST_F(ObservationTest, TellsHowCompilersWereCalledThatPassedAndThatFailed) {
  FileUse use = Use("ws/a.c", "bin/cc1");
  ProgramRun passed{{"cc1", "-E", dir_.Path("ws/a.c"), "-o", dir_.Path("state/x.o")}, 0};
  ProgramRun failed{{"cc1", "-I", dir_.Path("state/tree"), "a.c"}, 1};
  use.runs = {std::make_shared<ProgramRun>(passed), std::make_shared<ProgramRun>(failed)};
  const Observation seen = InterpretUses({use}, place_);
  const CompiledFile& file = seen.compiled.at("a.c");
  ASSERT_EQ(PassedWays(file).size(), 1U);
  EXPECT_THAT(*PassedWays(file)[0], ElementsAre(dir_.Path("bin/cc1"), "-E", "$WORKSPACE/a.c"));
  ASSERT_EQ(FailedWays(file).size(), 1U);
  EXPECT_THAT(*FailedWays(file)[0], ElementsAre(dir_.Path("bin/cc1"), "-I", "$STATE/tree", "a.c"));
}

TEST_F(ObservationTest, TheEndOfADaemonSaysNothing) {
  place_.compilers = {"java", "vet"};
  dir_.Write("bin/java", "");
  dir_.Write("bin/vet", "");
  place_.run_began = absl::Now() + absl::Seconds(5);
  FileUse daemon = Use("ws/A.java", "bin/java");
  FileUse vet = Use("ws/a.go", "bin/vet");
  daemon.runs = {Run(std::nullopt)};
  vet.runs = {Run(1)};
  EXPECT_THAT(Ignored(InterpretUses({daemon, vet}, place_), {}), IsEmpty());
}

TEST_F(ObservationTest, AnOldErrorExplainsTheEndOfTheCompilersThatReadItsFile) {
  FileUse old_error = Use("ws/old.h", "bin/cc1");
  FileUse beside = Use("ws/a.c", "bin/cc1");
  FileUse other = Use("ws/b.c", "bin/cc1");
  old_error.runs = beside.runs = {Run(1)};
  other.runs = {Run(1)};
  const Observation seen = InterpretUses({old_error, beside, other}, place_);
  EXPECT_THAT(Ignored(seen, {{Severity::kWarning, "old.h", 1, 1, "", ""}}),
              ElementsAre("a.c", "b.c", "old.h"));
  EXPECT_THAT(Ignored(seen, {{Severity::kError, "old.h", 1, 1, "", ""}}), ElementsAre("b.c"));
  // Of an error elsewhere it is not known which compiler it ended.
  EXPECT_THAT(Ignored(seen, {{Severity::kError, "/usr/include/x.h", 1, 1, "", ""}}), IsEmpty());
}

TEST_F(ObservationTest, ACompilerOfTheWorkspaceIsNone) {
  EXPECT_THAT(Compiled(Use("ws/a.c", "ws/tools/cc1")), IsEmpty());
  EXPECT_THAT(Compiled(Use("ws/a.c", "bin/gone/cc1")), IsEmpty());
}

TEST_F(ObservationTest, ACompilerWrittenDuringTheRunIsNone) {
  place_.run_began = absl::Now() - absl::Hours(1);
  EXPECT_THAT(Compiled(Use("ws/a.c", "bin/cc1")), IsEmpty());
}

TEST(ObservingRunnerTest, CollectsWhatItsProgramsDid) {
  TempDir dir;
  dir.Write("a", "");
  dir.Write("b", "");
  const std::unique_ptr<ProcessRunner> local = NewLocalProcessRunner();
  ASSERT_TRUE(CheckObservation(local.get(), InheritedEnvironment()).ok());
  ObservingRunner runner(local.get(), {dir.path()}, /*looks=*/true);
  ProcessRequest request;
  request.cwd = dir.path();
  request.env = InheritedEnvironment();
  for (const char* script : {"cat a", "test -e c; cat b"}) {
    request.argv = {"/bin/sh", "-c", script};
    ASSERT_TRUE(runner.Run(request).ok());
  }
  ASSERT_TRUE(runner.uses().has_value());
  const Observation seen = InterpretUses(*runner.uses(), {dir.path(), "", {}, absl::Now()});
  EXPECT_THAT(seen.read, ElementsAre("a", "b"));
  EXPECT_THAT(seen.missing, ElementsAre("c"));
}

// The kernel allows one observer, so Stile below Stile cannot observe.
TEST(ObservingRunnerTest, OneProgramThatIsNotObservedSpoilsItAll) {
  class Blind : public ProcessRunner {
    absl::StatusOr<ProcessResult> Run(const ProcessRequest&) override { return ProcessResult(); }
  };
  Blind blind;
  EXPECT_FALSE(CheckObservation(&blind, {}).ok());
  ObservingRunner runner(&blind, {"/ws"}, /*looks=*/false);
  EXPECT_TRUE(runner.uses().has_value());
  ASSERT_TRUE(runner.Run(ProcessRequest()).ok());
  EXPECT_FALSE(runner.uses().has_value());
}

}  // namespace
}  // namespace stile

#include "validators/compiler/command_validator.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

ValidationResult RunScript(const std::string& script, const std::string& parser = "generic") {
  CommandValidatorSettings settings;
  settings.id = "declared";
  settings.command = {"sh", "-c", script, "sh", "{root}", "{state}", "{files}"};
  settings.diagnostics = parser;
  ValidationFixture fixture(NewCommandValidator(settings));
  fixture.Write("a b.x", "");
  fixture.Write("-c.x", "");
  return fixture.Validate();
}

TEST(CommandValidator, FillsInRootStateAndFiles) {
  const ValidationResult result = RunScript(
      "test \"$1\" = \"$PWD\" && test -d \"$2\" && test \"$3\" = ./-c.x && test \"$4\" = 'a b.x'");
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
}

TEST(CommandValidator, FollowsExitStatusAndDiagnostics) {
  ValidationResult result = RunScript("echo 'a.x:3:4: error: bad'; exit 1");
  ASSERT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(FormatDiagnostic(result.diagnostics[0]), "a.x:3:4: error: bad");
  EXPECT_EQ(RunScript("echo 'a.x:3:4: E12 unnamed'; exit 1").diagnostics[0].severity,
            Severity::kError);
  EXPECT_EQ(RunScript("echo 'a.x:3:4: just talk'").verdict, Verdict::kPass);
  EXPECT_EQ(RunScript("echo 'a.x:3:4: error: bad'").verdict, Verdict::kInfraError);
  result = RunScript("echo something is wrong; exit 1");
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.message, "something is wrong");
  EXPECT_EQ(RunScript("echo 0 errors; exit 3").verdict, Verdict::kInfraError);
  EXPECT_EQ(RunScript("kill -SEGV $$").verdict, Verdict::kInfraError);
  EXPECT_EQ(RunScript("exit 1", "nope").verdict, Verdict::kInfraError);
}

TEST(CommandValidator, UsesTheParserByName) {
  const ValidationResult result =
      RunScript("echo 'src/A.cs(3,14): error CS1002: ; expected'; exit 1", "msbuild");
  ASSERT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.diagnostics[0].code, "CS1002");
}

TEST(CommandValidator, SaysWhatIsMissing) {
  CommandValidatorSettings settings;
  settings.id = "declared";
  settings.command = {"no-such-program"};
  settings.install_hint = "get it";
  settings.project_files = {"*.proj"};
  ValidationFixture fixture(NewCommandValidator(settings));
  EXPECT_FALSE(fixture.validator().Applies(fixture.Look()));
  fixture.Write("x.proj", "");
  EXPECT_TRUE(fixture.validator().Applies(fixture.Look()));
  const ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kNoValidator);
  EXPECT_EQ(result.message, "get it");
}

CommandValidatorSettings Each(std::vector<std::string> command) {
  CommandValidatorSettings settings;
  settings.id = "declared";
  settings.command = std::move(command);
  settings.each = true;
  return settings;
}

TEST(CommandValidator, EachRunsOnceForEachFileAndReportsAllFailures) {
  ValidationFixture fixture(NewCommandValidator(
      Each({"sh", "-c", "echo $# >> \"$1/runs\"; ! grep bad \"$2\"", "sh", "{state}", "{files}"})));
  fixture.Write("a.x", "fine");
  fixture.Write("b b.x", "bad one");
  fixture.Write("c.x", "fine");
  fixture.Write("d.x", "bad two");
  const ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 2U) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "b b.x");
  EXPECT_EQ(result.diagnostics[0].message, "bad one");
  EXPECT_EQ(result.diagnostics[1].file, "d.x");
  EXPECT_EQ(fixture.state().Read("runs"), "2\n2\n2\n2\n");
  EXPECT_THAT(result.command, testing::EndsWith("'{files}'")) << "told once";
  fixture.Write("b b.x", "fine");
  fixture.Write("d.x", "fine");
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kPass);
}

TEST(CommandValidator, EachFillsInTheFileWithinAWord) {
  ValidationFixture fixture(NewCommandValidator(Each({"test", "-f", "{root}/{files}"})));
  fixture.Write("a.x", "");
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kPass);
}

TEST(CommandValidator, EachNeverPassesWhatItCouldNotRead) {
  for (const BrokenProgram& broken : BrokenPrograms()) {
    ValidationFixture fixture(NewCommandValidator(Each({"checker", "{files}"})));
    fixture.FakeProgram("checker", absl::StrCat("test $1 = a.x || {\n", broken.script, "}\n"));
    fixture.Write("a.x", "");
    fixture.Write("b.x", "");
    EXPECT_TRUE(IsAgainst(fixture.Validate().verdict)) << broken.name;
  }
}

TEST(CommandValidator, TheTimeIsForAllRunsOfEach) {
  CommandValidatorSettings settings = Each({"sleep", "0.4{files}"});
  settings.timeout = absl::Seconds(1);
  ValidationFixture fixture(NewCommandValidator(settings));
  for (const char* name : {"1", "2", "3", "4"}) fixture.Write(name, "");
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kTimeout);
}

TEST(CommandValidator, WithoutAFileNoCommandRuns) {
  for (const bool each : {false, true}) {
    CommandValidatorSettings settings = Each({"false", "{files}"});
    settings.each = each;
    ValidationFixture fixture(NewCommandValidator(settings));
    const ValidationResult result = fixture.Validate();
    EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
    EXPECT_EQ(result.message, "there is no file to judge");
  }
}

TEST(CommandValidator, TakesTheFilesOfTheGlobsOfItsLanguage) {
  ValidationFixture fixture(NewCommandValidator(
      Each({"sh", "-c", "echo $1 >> \"$2/runs\"", "sh", "{files}", "{state}"})));
  fixture.set_files({"api/*.proto", "*.text"});
  for (const char* name : {"api/a.proto", "api/deep/b.proto", "buf.yaml", "deep/c.text"}) {
    fixture.Write(name, "");
  }
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(fixture.state().Read("runs"), "api/a.proto\ndeep/c.text\n");
}

TEST(CommandValidator, WhatItJudgesMustBeOpened) {
  const std::vector<std::string> any = {std::string(kAnyProgram)};
  CommandValidatorSettings settings;
  settings.command = {"make", "lint"};
  EXPECT_THAT(NewCommandValidator(settings)->compilers(), testing::IsEmpty());
  settings.languages = {"python"};
  EXPECT_EQ(NewCommandValidator(settings)->compilers(), any);
  settings.languages.clear();
  settings.files = {"*.x"};
  EXPECT_EQ(NewCommandValidator(settings)->compilers(), any);
  EXPECT_EQ(NewCommandValidator(Each({"lint", "{files}"}))->compilers(), any);
}

// Paths of the files that the command names; those that do not run end in '?'.
std::vector<std::string> ScriptsOf(std::vector<std::string> command,
                                   const std::string& root = ".") {
  TempDir workspace;
  workspace.MakeDir("proto");
  Language language;
  language.files = {"**/*.sh", "**/*.py"};
  Project project;
  project.language = &language;
  project.workspace = workspace.path();
  project.root = root;
  project.files = {"deploy.sh", "scripts/lint.sh", "tools/check.py"};
  for (std::string& word : command) {
    word = absl::StrReplaceAll(word, {{"{ws}", workspace.path()}});
  }
  CommandValidatorSettings settings;
  settings.command = std::move(command);
  std::vector<std::string> paths;
  for (const JudgingFile& file : NewCommandValidator(settings)->scripts(project)) {
    paths.push_back(absl::StrCat(file.path, file.runs ? "" : "?"));
  }
  return paths;
}

TEST(CommandValidator, PinsWhatItsCommandNames) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(ScriptsOf({"buf", "build", "{files}"}), ElementsAre("build?"));
  EXPECT_THAT(ScriptsOf({"buf", "lint", "proto"}), ElementsAre("lint?")) << "folders are none";
  EXPECT_THAT(ScriptsOf({"./tools/check.py", "{files}"}), ElementsAre("tools/check.py"));
  EXPECT_THAT(ScriptsOf({"tools/check", "--strict"}, "api"), ElementsAre("api/tools/check"));
  EXPECT_THAT(ScriptsOf({"{root}/tools/check"}, "api"), ElementsAre("api/tools/check"));
  EXPECT_THAT(ScriptsOf({"{ws}/tools/check"}, "api"), ElementsAre("tools/check"));
  EXPECT_THAT(ScriptsOf({"lint", "-c", ".lintrc", "--config=etc/lint.cfg"}),
              ElementsAre(".lintrc?", "etc/lint.cfg?"));
  EXPECT_THAT(ScriptsOf({"/usr/bin/lint", "../outside", "/etc/lint.cfg"}), IsEmpty());
}

TEST(CommandValidator, PinsWhatAnInterpreterRunsAlthoughItsNameIsOfCode) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(ScriptsOf({"bash", "scripts/lint.sh", "{files}"}), ElementsAre("scripts/lint.sh"));
  EXPECT_THAT(ScriptsOf({"python3", "-B", "tools/check.py"}), ElementsAre("tools/check.py"));
  EXPECT_THAT(ScriptsOf({"env", "A=1", "python3", "tools/check.py", "deploy.sh"}),
              ElementsAre("A=1?", "python3?", "tools/check.py"));
  EXPECT_THAT(
      ScriptsOf({"sh", "-c", "scripts/lint.sh a && bash -e tools/check.py \"$@\" deploy.sh"}),
      ElementsAre("scripts/lint.sh", "tools/check.py"));
  EXPECT_THAT(ScriptsOf({"sh", "-c", "date > report.txt"}), IsEmpty()) << "an output";
  EXPECT_THAT(ScriptsOf({"bash", "-n", "deploy.sh"}), IsEmpty()) << "it is judged";
  EXPECT_THAT(ScriptsOf({"shellcheck", "deploy.sh"}), IsEmpty()) << "it is judged";
  EXPECT_THAT(ScriptsOf({"python3", "-m", "py_compile", "tools/check.py"}),
              ElementsAre("py_compile"));
}

}  // namespace
}  // namespace stile

#include "validators/compiler/command_validator.h"

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

}  // namespace
}  // namespace stile

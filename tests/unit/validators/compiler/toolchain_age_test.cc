#include "validators/compiler/toolchain_age.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"
#include "validators/compiler/cargo_check.h"
#include "validators/compiler/dotnet_build.h"
#include "validators/compiler/go_build.h"
#include "validators/compiler/gradle.h"
#include "validators/compiler/maven.h"
#include "validators/compiler/node_check.h"
#include "validators/compiler/python_compile.h"
#include "validators/compiler/rustc.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ToolchainAgeTest, ComparesVersionsByTheirNumbers) {
  for (const auto& [have, wanted] : std::vector<std::pair<const char*, const char*>>{
           {"go version go1.19.8 linux/amd64", "1.21"},
           {"cargo 1.95.0 (f2d3ce0bd 2026-03-21)", "1.95.1"},
           {"Python 3.9.2", "3.10"},
           {"v20.20.2", "v22"},
           {"10.0.401", "11.0"}}) {
    EXPECT_TRUE(IsOlder(have, wanted)) << have;
    EXPECT_FALSE(IsOlder(wanted, have)) << have;
    EXPECT_FALSE(IsOlder(have, have)) << have;
  }
  EXPECT_FALSE(IsOlder("1.21.0", "1.21"));
  EXPECT_FALSE(IsOlder("", "1.21")) << "what has no version is not known to be older";
  EXPECT_FALSE(IsOlder("1.21", ""));
  EXPECT_FALSE(IsOlder("1", "*"));
}

TEST(ToolchainAgeTest, FindsTheLeastVersionOfARequirement) {
  EXPECT_EQ(TooNew(">=3.12,<4", "Python 3.11.7"), "3.12");
  EXPECT_EQ(TooNew("< 4, >= 3.12", "Python 3.11.7"), "3.12");
  EXPECT_EQ(TooNew("~=3.12", "3.11"), "3.12");
  EXPECT_EQ(TooNew("^3.12", "3.11"), "3.12");
  EXPECT_EQ(TooNew(">=22", "v20.20.2"), "22");
  EXPECT_EQ(TooNew("^22.1 || >=24", "v20.20.2"), "22.1");
  EXPECT_EQ(TooNew("22 - 24", "v20.20.2"), "22");
  for (const char* fits : {"", "*", ">=3.8", "<3.12", "!=3.12", ">=3.8,!=3.13", "3.x || >=22",
                           ">=3.8 <4", "latest", "||", "<", ">=", "3.11 - 9"}) {
    EXPECT_EQ(TooNew(fits, "Python 3.11.7"), "") << fits;
  }
}

// A real validator with its rule.
std::unique_ptr<ValidationFixture> Fixture(std::unique_ptr<Validator> validator) {
  return std::make_unique<ValidationFixture>(NewToolchainAgeValidator(std::move(validator)));
}

TEST(ToolchainAgeTest, WhatANewerGoMayBuildIsNoFaultOfTheCode) {
  if (!HasProgram("go")) GTEST_SKIP() << "go is not installed";
  const auto fixture = Fixture(NewGoBuildValidator());
  fixture->Write("go.mod", "module example.com/m\n\ngo 1.999\n");
  fixture->Write("m.go", "package m\n\nvar X int = 1\n");
  fixture->Write("n.go", "package m\n\nfunc F(xs []int) int { return min(xs[0], nothing) }\n");
  const ValidationResult result = fixture->Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message,
              StartsWith("go.mod asks for Go 1.999, but the installed one is 'go "));
  EXPECT_THAT(result.message, HasSubstr("install a newer Go"));
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.output, HasSubstr("n.go:3")) << "its own words are kept";
  EXPECT_EQ(fixture->validator().compilers(), NewGoBuildValidator()->compilers());
  EXPECT_TRUE(fixture->validator().Sets(BuildSwitch::Kind::kTag));
}

// Says what it is told, under the id of a real validator.
class Scripted : public Validator {
 public:
  Scripted(std::string id, ValidationResult result)
      : id_(std::move(id)), result_(std::move(result)) {}
  const std::string& id() const override { return id_; }
  Level level() const override { return Level::kTest; }
  bool Applies(const Project&) const override { return true; }
  Toolchain Probe(const Project&, const Environment&, ProcessRunner*) const override {
    return result_.toolchain;
  }
  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::nullopt;
  }
  absl::StatusOr<ValidationResult> Validate(const ValidationRequest&) const override {
    return result_;
  }

 private:
  const std::string id_;
  const ValidationResult result_;
};

TEST(ToolchainAgeTest, RedTestsStayRedAndVerdictsThatAreNoFailureStayAsTheyAre) {
  ValidationResult said;
  said.verdict = Verdict::kFail;
  said.message = "1 of 2 tests failed";
  said.toolchain.version = "go version go1.19.8 linux/amd64";
  said.tests = TestCounts{1, 1, 0};
  const auto ask = [&] {
    const auto fixture = Fixture(std::make_unique<Scripted>("go-test", said));
    fixture->Write("go.mod", "module example.com/m\n\ngo 1.20\n");
    return fixture->Validate();
  };
  ValidationResult result = ask();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.message, StartsWith("go.mod asks for Go 1.20"));
  EXPECT_THAT(result.message, HasSubstr("What failed under it: 1 of 2 tests failed"));
  said.tests->failed = 0;
  EXPECT_EQ(ask().verdict, Verdict::kInfraError);
  for (const Verdict verdict : {Verdict::kPass, Verdict::kTimeout, Verdict::kNoValidator}) {
    said.verdict = verdict;
    EXPECT_EQ(ask().message, said.message);
    EXPECT_EQ(ask().verdict, verdict);
  }
}

TEST(ToolchainAgeTest, CargoThatRefusesIsExplained) {
  if (!HasProgram("cargo")) GTEST_SKIP() << "cargo is not installed";
  const auto fixture = Fixture(NewCargoCheckValidator());
  const std::string head = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
  fixture->Write("Cargo.toml", head + "rust-version = \"1.999\"  # the newest\n");
  fixture->Write("src/lib.rs", "pub fn f() -> i32 { 1 }\n");
  ValidationResult result = fixture->Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message, StartsWith("Cargo.toml (rust-version) asks for Rust 1.999, but the "
                                         "installed one is 'cargo 1."));
  EXPECT_THAT(result.message, HasSubstr("rustup update"));
  fixture->Write("Cargo.toml", head +
                                   "rust-version = { workspace = true }\n\n[workspace]\n\n"
                                   "[workspace.package]\nrust-version = '1.998'\n");
  result = fixture->Validate();
  EXPECT_THAT(result.message, HasSubstr("Rust 1.998")) << Describe(result);
  fixture->Write("Cargo.toml", head + "rust-version = \"1.56\"\n");
  EXPECT_EQ(fixture->Validate().verdict, Verdict::kPass);
}

TEST(ToolchainAgeTest, ErrorsUnderAnOlderPythonStayErrorsAndAreExplained) {
  if (!HasProgram("python3")) GTEST_SKIP() << "python3 is not installed";
  const auto fixture = Fixture(NewPyCompileValidator());
  fixture->Write("pyproject.toml", "[project]\nname = 'a'\nrequires-python = '>=3.99,<4'\n");
  fixture->Write("a.py", "x = 1\n");
  EXPECT_EQ(fixture->Validate().verdict, Verdict::kPass) << "what passes has passed";
  fixture->Write("a.py", "def f(:\n");
  ValidationResult result = fixture->Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.message, StartsWith("pyproject.toml (requires-python) asks for Python "
                                         ">=3.99,<4, but the installed one is 'Python 3."));
  EXPECT_EQ(result.diagnostics.size(), 1U);
  fixture->Write("pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.98\"\n");
  EXPECT_THAT(fixture->Validate().message, HasSubstr("Python ^3.98"));
  fixture->Write("pyproject.toml", "[tool.x]\nrequires-python = '>=3.99'\n");
  fixture->Write("setup.cfg", "[options]\npython_requires = >=3.97\n");
  EXPECT_THAT(fixture->Validate().message, HasSubstr("setup.cfg (python_requires)"));
  fixture->Write("setup.cfg", "[options]\npython_requires = >=3.7\n");
  EXPECT_THAT(fixture->Validate().message, Not(HasSubstr("asks for")));
}

TEST(ToolchainAgeTest, ErrorsUnderAnOlderNodeAreExplained) {
  if (!HasProgram("node")) GTEST_SKIP() << "node is not installed";
  const auto fixture = Fixture(NewNodeCheckValidator());
  fixture->Write("a.js", "const x = ;\n");
  fixture->Write("package.json", R"({"engines": {"node": ">=99"}})");
  EXPECT_THAT(fixture->Validate().message,
              StartsWith("package.json (engines.node) asks for Node.js >=99, but the installed "));
  for (const char* other : {R"({"engines": {"node": ">=4"}})", R"({"engines": ["node"]})", "[1]",
                            "{", R"({"engines": {"node": 99}})"}) {
    fixture->Write("package.json", other);
    EXPECT_THAT(fixture->Validate().message, Not(HasSubstr("asks for"))) << other;
  }
}

TEST(ToolchainAgeTest, FrameworksThatTheSdkDoesNotKnowAreExplained) {
  if (!HasProgram("dotnet")) GTEST_SKIP() << "the .NET SDK is not installed";
  const auto fixture = Fixture(NewDotnetBuildValidator());
  fixture->Write("App.csproj",
                 "<Project Sdk=\"Microsoft.NET.Sdk\">\n<PropertyGroup>\n"
                 "<TargetFrameworks>netstandard2.0;net99.0</TargetFrameworks>\n"
                 "</PropertyGroup>\n</Project>\n");
  fixture->Write("A.cs", "class A {}\n");
  const ValidationResult result = fixture->Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message,
              StartsWith("App.csproj (net99.0) asks for the .NET SDK 99.0, but the installed one"));
}

TEST(ToolchainAgeTest, ReleasesThatTheJdkDoesNotKnowAreExplained) {
  constexpr char kJavac[] = "echo javac 17.0.15\n";
  constexpr char kMaven[] =
      "test \"$1\" = --version && echo Apache Maven 3.8.7 && exit\n"
      "echo '[ERROR] Fatal error compiling: error: invalid target release: 21'\nexit 1\n";
  const auto maven = Fixture(NewMavenValidator(Level::kBuild));
  maven->FakeProgram("mvn", kMaven);
  maven->FakeProgram("javac", kJavac);
  for (const char* setting :
       {"<properties><maven.compiler.release>21</maven.compiler.release></properties>",
        "<properties><java.version> 21 </java.version></properties>",
        "<build><configuration><release>21</release></configuration></build>"}) {
    maven->Write("pom.xml", absl::StrCat("<project>", setting, "</project>\n"));
    const ValidationResult result = maven->Validate();
    EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
    EXPECT_THAT(result.message,
                StartsWith("pom.xml asks for Java 21, but the installed one is 'javac 17.0.15'"));
    EXPECT_THAT(result.output, HasSubstr("invalid target release"));
  }
  maven->Write("pom.xml", "<project><maven.compiler.source>1.8</maven.compiler.source></project>");
  EXPECT_THAT(maven->Validate().message, Not(HasSubstr("asks for")));
  const auto gradle = Fixture(NewGradleValidator(Level::kBuild));
  gradle->FakeProgram("gradle", "test \"$1\" = --version && echo Gradle 8.1 && exit\nexit 1\n");
  gradle->FakeProgram("javac", kJavac);
  for (const char* setting :
       {"java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }",
        "sourceCompatibility = JavaVersion.VERSION_21", "targetCompatibility = '21'"}) {
    gradle->Write("build.gradle", setting);
    EXPECT_THAT(gradle->Validate().message, StartsWith("build.gradle asks for Java 21")) << setting;
  }
}

TEST(ToolchainAgeTest, ValidatorsWithoutARuleComeBackAsTheyAre) {
  std::unique_ptr<Validator> validator = NewRustcValidator();
  const Validator* const before = validator.get();
  EXPECT_EQ(NewToolchainAgeValidator(std::move(validator)).get(), before);
}

}  // namespace
}  // namespace stile

#include "validators/compiler/typescript.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"
#include "validators/compiler/typescript_compiler.h"
#include "validators/compiler/typescript_config.h"

namespace stile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

constexpr char kConfig[] =
    "{\n  // strict\n  \"compilerOptions\": {\"strict\": true,},\n  \"include\": [\"src\"],\n}\n";
constexpr char kGood[] = "export const a: number = 1;\n";
constexpr char kBad[] = "const é = 1; export const a: number = \"x\";\n";

class TypeScript : public testing::TestWithParam<std::string> {
 protected:
  TypeScript() : fixture_(NewTypeScriptValidator(), "typescript") {}
  void SetUp() override {
    const std::string package = ToolchainFolder() + "/node_modules/" + GetParam();
    if (!HasProgram("node") || !std::filesystem::exists(package)) {
      GTEST_SKIP() << GetParam() << " is not in the toolchain folder";
    }
    // The project's own compiler, as npm links it.
    fixture_.workspace().MakeDir("node_modules");
    std::filesystem::create_directory_symlink(package,
                                              fixture_.workspace().Path("node_modules/typescript"));
  }
  ValidationFixture fixture_;
};
INSTANTIATE_TEST_SUITE_P(Versions, TypeScript, testing::Values("typescript", "typescript7"));

TEST_P(TypeScript, FollowsTheCodeWithTheSameState) {
  fixture_.Write("tsconfig.json", kConfig);
  fixture_.Write("src/a.ts", kGood);
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("src/a.ts")));
  EXPECT_THAT(result.toolchain.version, HasSubstr(GetParam() == "typescript" ? "5.9" : "7.0"));

  fixture_.Write("src/a.ts", kBad);
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].file, "src/a.ts");
  EXPECT_EQ(result.diagnostics[0].code, "TS2322");
  EXPECT_EQ(result.diagnostics[0].column, 28);  // in bytes
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail) << "warm, nothing changed";

  fixture_.Write("src/a.ts", kGood);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("src/a.ts", kBad);
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, fixture_.workspace().Path("src/a.ts").c_str(), long_ago, 0);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_P(TypeScript, ErrorInAnotherFileThanTheChangedOneIsFound) {
  fixture_.Write("tsconfig.json", kConfig);
  fixture_.Write("src/a.ts", kGood);
  fixture_.Write("src/b.ts", "import { a } from './a';\nexport const b: number = a;\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("src/a.ts", "export const a: string = 'x';\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "src/b.ts");
}

TEST_P(TypeScript, SolutionIsCheckedThroughTheConfigsItRefersTo) {
  fixture_.Write(
      "tsconfig.json",
      R"({"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "lib"}]})");
  fixture_.Write("tsconfig.app.json",
                 R"({"compilerOptions": {"composite": true}, "include": ["src"]})");
  fixture_.Write("lib/tsconfig.json", R"({"compilerOptions": {"composite": true}})");
  fixture_.Write("lib/l.ts", kBad);  // a project of its own
  fixture_.Write("src/a.ts", kGood);
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("src/a.ts")));
  fixture_.Write("src/a.ts", kBad);
  result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(fixture_.validator().Dependencies(fixture_.Look()), Optional(ElementsAre("lib")));
}

TEST_P(TypeScript, ReferencesAreReadFromSourcesWithoutBuiltOutputs) {
  fixture_.Write("base.json", R"({"compilerOptions": {"composite": true, "strict": true}})");
  fixture_.Write(
      "lib/tsconfig.json",
      R"({"extends": "../base.json", "compilerOptions": {"rootDir": "src", "outDir": "dist"}})");
  fixture_.Write(
      "app/tsconfig.json",
      R"({"extends": "../base.json", "compilerOptions": {"rootDir": "src", "outDir": "dist"},
                     "references": [{"path": "../lib"}]})");
  fixture_.Write("lib/src/i.ts", "export function f(a: number): string { return `${a}`; }\n");
  fixture_.Write("app/src/m.ts",
                 "import { f } from \"../../lib/src/i\";\nexport const s: string = f(1);\n");
  fixture_.set_root("app");
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("app/src/m.ts", "lib/src/i.ts")));
  EXPECT_THAT(fixture_.validator().Dependencies(fixture_.Look()),
              Optional(ElementsAre(".", "lib")));

  fixture_.Write("lib/src/i.ts", "export function f(a: number): number { return a; }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "app/src/m.ts");
}

TEST_P(TypeScript, LooseFilesAreCheckedWithoutAProjectFile) {
  fixture_.Write("scripts/a.ts", "const x: number = 1;\nconsole.log(x);\n");
  fixture_.Write("scripts/b.ts",
                 "const x: string = \"same name, other script\";\nconsole.log(x);\n");
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  fixture_.Write("scripts/b.ts", "const x: string = 1;\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "scripts/b.ts");
}

TEST_P(TypeScript, FaultOfTheConfigurationIsAFailure) {
  fixture_.Write("src/a.ts", kGood);
  fixture_.Write("tsconfig.json", "{\"compilerOptions\": {");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Write("tsconfig.json", R"({"compilerOptions": {"bogus": 1}})");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "tsconfig.json");
}

TEST_P(TypeScript, SpoiltBuildInfoIsNoVerdict) {
  fixture_.Write("tsconfig.json", kConfig);
  fixture_.Write("src/a.ts", kBad);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  for (const auto& entry : std::filesystem::directory_iterator(fixture_.state().path())) {
    if (entry.path().extension() == ".tsbuildinfo") {
      fixture_.state().Write(entry.path().filename().string(), "{\"version\": [[[");
    }
  }
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Write("src/a.ts", kGood);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
}

TEST_P(TypeScript, TimeoutIsATimeout) {
  fixture_.Write("tsconfig.json", kConfig);
  fixture_.Write("src/a.ts", kGood);
  fixture_.set_timeout(absl::Milliseconds(1));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
}

class TypeScriptOnPath : public testing::Test {
 protected:
  TypeScriptOnPath() : fixture_(NewTypeScriptValidator(), "typescript") {}
  void SetUp() override {
    if (!HasProgram("tsc")) GTEST_SKIP() << "tsc is not in the toolchain folder";
    fixture_.Write("tsconfig.json", kConfig);
    fixture_.Write("src/a.ts", kGood);
  }
  ValidationFixture fixture_;
};

TEST_F(TypeScriptOnPath, NativeCompilerIsPreferredAndAnOlderOneTakesWhatItRejects) {
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(result.toolchain.version, "Version 7.0.2");
  fixture_.Write("tsconfig.json",
                 R"({"compilerOptions": {"target": "es5", "baseUrl": "."}, "include": ["src"]})");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(result.toolchain.version, "Version 5.9.3");
}

TEST_F(TypeScriptOnPath, MissingCompilerIsNoValidatorWithAHint) {
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kNoValidator);
  EXPECT_THAT(result.message, HasSubstr("npm install"));
}

TEST_F(TypeScriptOnPath, BrokenCompilerNeverPasses) {
  std::vector<BrokenProgram> programs = BrokenPrograms();
  programs.push_back({"prints 'error' and exits 0", "echo error; exit 0\n"});
  programs.push_back(
      {"knows its version only", "[ \"$1\" = --version ] && echo Version 5.0.0; exit 0\n"});
  for (const BrokenProgram& program : programs) {
    ValidationFixture fixture(NewTypeScriptValidator(), "typescript");
    fixture.Write("tsconfig.json", kConfig);
    fixture.Write("src/a.ts", kGood);
    fixture.FakeProgram("tsc", program.script);
    const std::string& path = fixture.environment()["PATH"];
    fixture.environment()["PATH"] = path.substr(0, path.find(':')) + ":/usr/bin:/bin";
    EXPECT_EQ(fixture.Validate().verdict, Verdict::kInfraError) << program.name;
  }
}

TEST_F(TypeScriptOnPath, CompilerThatSaysItsVersionWithoutAWordRejectsSettings) {
  fixture_.FakeProgram("tsc",
                       "[ \"$1\" = --version ] && echo 5.4.2 && exit\n"
                       "echo 'tsconfig.json(1,1): error TS5108: Option has been removed.'; exit 1");
  const std::string& path = fixture_.environment()["PATH"];
  fixture_.environment()["PATH"] = path.substr(0, path.find(':'));
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message, HasSubstr("TypeScript 5.4.2 no longer accepts"));
}

TEST_F(TypeScriptOnPath, JavaScriptIsTakenInWhereTheConfigurationSaysSo) {
  ValidationFixture fixture(NewTypeScriptValidator(), "javascript");
  fixture.Write("package.json", "{}");
  fixture.Write("src/a.js", "export const x = 1;\n");
  EXPECT_FALSE(fixture.validator().Applies(fixture.Look()));
  fixture.Write("tsconfig.json", R"({"include": ["src"]})");
  EXPECT_FALSE(fixture.validator().Applies(fixture.Look()));
  fixture.Write("tsconfig.json", R"({"compilerOptions": {"checkJs": true}, "include": ["src"]})");
  EXPECT_TRUE(fixture.validator().Applies(fixture.Look()));
  fixture.Write("tool.config.js", "module.exports = {};\n");
  ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("src/a.js", "tool.config.js")));
  fixture.Write("src/a.js", "/** @type {number} */\nexport const x = 'no';\n");
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kFail);
  fixture.Write("src/a.js", "export const x = 1;\n");
  fixture.Write("tool.config.js", "module.exports = {;\n");
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "tool.config.js");
}

TEST(TypeScriptConfigTest, LoopOfBasesEnds) {
  TempDir folder;
  folder.Write("a.json", R"({"extends": "./b.json", "compilerOptions": {"allowJs": true}})");
  folder.Write("b.json", R"({"extends": "./a.json", "include": ["x"]})");
  const auto config = LoadTypeScriptConfig(folder.path(), "a.json");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->allow_js);
  EXPECT_TRUE(config->has_include);
  EXPECT_THAT(config->extended, ElementsAre("b.json"));
}

TEST(TypeScriptGraphTest, OpenProjectsDependOnWhoKnowsWhat) {
  ValidationFixture fixture(NewTypeScriptValidator(), "typescript");
  fixture.Write("tsconfig.json", "{}");
  EXPECT_EQ(fixture.validator().Dependencies(fixture.Look()), std::nullopt);
}

}  // namespace
}  // namespace stile

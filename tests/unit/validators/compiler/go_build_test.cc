#include "validators/compiler/go_build.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"
#include "validators/compiler/go_module.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

class GoBuild : public testing::Test {
 protected:
  GoBuild() : fixture_(NewGoBuildValidator(), "go") {}
  void SetUp() override {
    if (!HasProgram("go")) GTEST_SKIP() << "go is not installed";
    fixture_.Write("go.mod", "module example.com/m\n\ngo 1.19\n");
    fixture_.Write("cmd/a/main.go",
                   "package main\n\nimport \"example.com/m/lib\"\n\nfunc main() { lib.F(1) }\n");
    fixture_.Write("cmd/b/main.go", "package main\n\nfunc main() {}\n");
    fixture_.Write("lib/l.go", kGood);
  }
  static constexpr char kGood[] = "package lib\n\nfunc F(i int) int { return i }\n";
  ValidationFixture fixture_;
};

TEST_F(GoBuild, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  EXPECT_THAT(result.files_read,
              Optional(ElementsAre("cmd/a/main.go", "cmd/b/main.go", "lib/l.go")));

  fixture_.Write("lib/l.go", "package lib\n\nfunc F(i string) int { _ = \"é\"; return i }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1u) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "lib/l.go");
  EXPECT_EQ(result.diagnostics[0].line, 3);
  EXPECT_EQ(result.diagnostics[0].column, 41);  // in bytes

  // The library is right, the program that uses it is not any more.
  fixture_.Write("lib/l.go", "package lib\n\nfunc F(i string) string { return i }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "cmd/a/main.go");

  fixture_.Write("lib/l.go", kGood);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("lib/l.go", "package lib\n\nfunc F(i int) int { return u }\n");
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, fixture_.workspace().Path("lib/l.go").c_str(), long_ago, 0);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_F(GoBuild, TestsAreTypeCheckedAndPrintfFindingsAreNoErrors) {
  fixture_.Write("lib/l_test.go",
                 "package lib\n\nimport (\"fmt\"; \"testing\")\n\nfunc TestF(t *testing.T) "
                 "{ fmt.Printf(\"%d\", \"s\") }\n");
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  fixture_.Write("lib/l_test.go",
                 "package lib\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { var s string = "
                 "F(1); _ = s }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "lib/l_test.go");
}

TEST_F(GoBuild, ReportsAllErrorsOfAPackage) {
  std::string text = kGood;
  for (int i = 0; i < 15; ++i) absl::StrAppend(&text, "var V", i, " int = \"\"\n");
  fixture_.Write("lib/l.go", text);
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(CountErrors(result.diagnostics), 15u) << Describe(result);
}

TEST_F(GoBuild, FaultsBesidesTypesAreFailures) {
  fixture_.Write("lib/l.go", "package lib\n\nimport \"example.com/none\"\n\nvar _ = none.X\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Write("lib/l.go", "package lib\n\nimport _ \"example.com/m/lib2\"\n");
  fixture_.Write("lib2/l.go", "package lib2\n\nimport _ \"example.com/m/lib\"\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Write("lib2/l.go", "package lib2\n");
  fixture_.Write("lib/l.go", kGood);
  fixture_.Write("cmd/b/main.go", "package main\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  fixture_.Write("cmd/b/main.go", "package main\n\nfunc main() {}\n");
  fixture_.Write("go.mod", "module\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_F(GoBuild, ModulesBuildOnReplacedAndWorkspaceModules) {
  fixture_.Write("go.work", "go 1.19\n\nuse (\n\t./app\n\t./lib2\n)\n");
  fixture_.Write("lib2/go.mod", "module example.com/lib2\n\ngo 1.19\n");
  fixture_.Write("lib2/l.go", "package lib2\n\nfunc G() int { return 1 }\n");
  fixture_.Write("app/go.mod",
                 "module example.com/app\n\ngo 1.19\n\nrequire example.com/lib2 v0.0.0\n");
  fixture_.Write("app/a.go",
                 "package app\n\nimport \"example.com/lib2\"\n\nvar X int = lib2.G()\n");
  // The outer module is not named in go.work.
  fixture_.set_root(".");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.set_root("app");
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_THAT(fixture_.validator().Dependencies(fixture_.Look()),
              Optional(ElementsAre(".", "lib2")));
  fixture_.Write("lib2/l.go", "package lib2\n\nfunc G() string { return \"\" }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "app/a.go");
}

TEST_F(GoBuild, LooseFilesAreCheckedEachProgramAlone) {
  ValidationFixture fixture(NewGoBuildValidator(), "go");
  fixture.Write("a.go", "package main\n\nfunc main() {}\n");
  fixture.Write("b.go", "package main\n\nfunc main() {}\n");
  fixture.Write("both/a.go", "package main\n\nfunc main() { f() }\n");
  fixture.Write("both/b.go", "package main\n\nfunc f() {}\n");
  fixture.set_loose(true);
  ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  fixture.Write("b.go", "package main\n\nfunc main() { g() }\n");
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "b.go");
}

TEST_F(GoBuild, SettingsOfTheUserDoNotReachIt) {
  fixture_.environment()["GOFLAGS"] = "-mod=nonsense";
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
}

TEST_F(GoBuild, MissingBrokenAndSlowProgramsNeverPass) {
  fixture_.set_timeout(absl::Milliseconds(1));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
  fixture_.set_timeout(absl::Minutes(5));
  std::vector<BrokenProgram> programs = BrokenPrograms();
  programs.push_back({"prints 'error' and exits 0", "echo error; exit 0\n"});
  programs.push_back({"knows its version only", "echo go version go1.19 linux/amd64; exit 0\n"});
  for (const BrokenProgram& program : programs) {
    fixture_.FakeProgram("go", program.script);
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << program.name;
  }
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult missing = fixture_.Validate();
  EXPECT_EQ(missing.verdict, Verdict::kNoValidator);
  EXPECT_THAT(missing.message, HasSubstr("apt-get install golang-go"));
}

TEST(GoModuleTest, DirectivesAreRead) {
  const GoModule module = ParseGoMod(
      "module \"example.com/m\" // x\ngo 1.21.3\nrequire (\n\ta.b/c v1.0.0 // indirect\n)\n"
      "require d.e/f v0\nreplace a.b/c => ../c\nreplace (\n\td.e/f v0 => ./f\n\tx.y/z => q.r/s "
      "v1\n)\n");
  EXPECT_EQ(module.path, "example.com/m");
  EXPECT_EQ(module.go_version, "1.21.3");
  EXPECT_THAT(module.required, ElementsAre("a.b/c", "d.e/f"));
  EXPECT_THAT(module.local, ElementsAre("../c", "./f"));
  EXPECT_EQ(ParseGoMod("(\n)\n=>\nreplace =>\n").path, "");
}

}  // namespace
}  // namespace stile

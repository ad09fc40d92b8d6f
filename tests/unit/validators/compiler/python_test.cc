#include <algorithm>
#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"
#include "validators/compiler/python_compile.h"
#include "validators/compiler/python_types.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr char kGood[] = "def f(x: int) -> int:\n    return x\n";
constexpr char kBad[] = "é = 1\ndef f(x: int) -> int:\n    'é'; return \"é\" + x\n";

struct Checker {
  const char* name;
  const char* program;
  std::unique_ptr<Validator> (*factory)();
  const char* config_name;
  const char* config;
  friend void PrintTo(const Checker& checker, std::ostream* out) { *out << checker.name; }
};

class PythonTypes : public testing::TestWithParam<Checker> {
 protected:
  PythonTypes() : fixture_(GetParam().factory(), "python") {}
  void SetUp() override {
    if (!HasProgram(GetParam().program)) GTEST_SKIP() << GetParam().program << " is not installed";
    fixture_.Write(GetParam().config_name, GetParam().config);
    fixture_.Write("pkg/__init__.py", "");
    fixture_.Write("pkg/a.py", kGood);
  }
  ValidationFixture fixture_;
};
INSTANTIATE_TEST_SUITE_P(
    Checkers, PythonTypes,
    testing::Values(
        Checker{"mypy", "mypy", &NewMypyValidator, "mypy.ini", "[mypy]\nstrict = True\n"},
        Checker{"mypy_toml", "mypy", &NewMypyValidator, "pyproject.toml",
                "[tool.mypy]\nstrict = true\nexclude = \"build/\"\n"},
        Checker{"mypy_files", "mypy", &NewMypyValidator, "setup.cfg", "[mypy]\nfiles = pkg\n"},
        Checker{"pyright", "pyright", &NewPyrightValidator, "pyrightconfig.json", "{}"}),
    [](const auto& checker) { return checker.param.name; });

TEST_P(PythonTypes, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  EXPECT_TRUE(fixture_.validator().Applies(fixture_.Look()));
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);

  fixture_.Write("pkg/a.py", kBad);
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "pkg/a.py");
  EXPECT_EQ(result.diagnostics[0].line, 3);
  EXPECT_FALSE(result.diagnostics[0].code.empty());

  fixture_.Write("pkg/a.py", kGood);
  result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  // Same size, old mtime put back: the gate's touch makes the difference.
  fixture_.Write("pkg/a.py", "def f(x: int) -> str:\n    return x\n");
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, fixture_.workspace().Path("pkg/a.py").c_str(), long_ago, 0);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_P(PythonTypes, SyntaxErrorIsAFailure) {
  fixture_.Write("pkg/a.py", "def f(:\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "pkg/a.py");
}

TEST_P(PythonTypes, MissingBrokenAndSlowProgramsNeverPass) {
  fixture_.set_timeout(absl::Milliseconds(1));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
  fixture_.set_timeout(absl::Minutes(5));
  std::vector<BrokenProgram> programs = BrokenPrograms();
  programs.push_back({"prints 'error' and exits 0", "echo error; exit 0\n"});
  programs.push_back({"knows its version only", "echo 1.0; exit 0\n"});
  for (const BrokenProgram& program : programs) {
    fixture_.FakeProgram(GetParam().program, program.script);
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << program.name;
  }
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult missing = fixture_.Validate();
  EXPECT_EQ(missing.verdict, Verdict::kNoValidator);
  EXPECT_THAT(missing.message, HasSubstr("install"));
}

TEST(MypyTest, LeavesNoErrorOut) {
  if (!HasProgram("mypy")) GTEST_SKIP() << "mypy is not installed";
  ValidationFixture fixture(NewMypyValidator(), "python");
  fixture.Write("mypy.ini", "[mypy]\n");
  std::string many = "import nowhere\n";
  for (int i = 0; i < 210; ++i) absl::StrAppend(&many, "x", i, ": int = 'text'\n");
  fixture.Write("a.py", many);
  fixture.Write("b.py", "import a\ny: int = 'text'\n");
  const ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  const auto in_b = [](const Diagnostic& diagnostic) { return diagnostic.file == "b.py"; };
  EXPECT_TRUE(std::any_of(result.diagnostics.begin(), result.diagnostics.end(), in_b));
}

TEST(PythonConfigTest, ACheckerJudgesOnlyWhereItIsConfigured) {
  ValidationFixture mypy(NewMypyValidator(), "python");
  ValidationFixture pyright(NewPyrightValidator(), "python");
  for (ValidationFixture* fixture : {&mypy, &pyright}) {
    fixture->Write("svc/pyproject.toml", "[project]\nname = \"x\"\n[tool.mypyc]\n");
    fixture->set_root("svc");
    EXPECT_FALSE(fixture->validator().Applies(fixture->Look()));
  }
  // The workspace's configuration holds for a project below it.
  mypy.Write("setup.cfg", "[mypy-foo.*]\nignore_missing_imports = True\n");
  EXPECT_TRUE(mypy.validator().Applies(mypy.Look()));
  pyright.Write("pyproject.toml", "[ tool.pyright ]\n");
  EXPECT_TRUE(pyright.validator().Applies(pyright.Look()));
}

// A repository with examples that are projects of their own: one run a project would be the same
// run, once for each.
TEST(PythonConfigTest, ACheckerOfAFolderAboveJudgesOnlyTheProjectsThatItsPathsReach) {
  ValidationFixture mypy(NewMypyValidator(), "python");
  ValidationFixture pyright(NewPyrightValidator(), "python");
  const auto applies = [](ValidationFixture& fixture, const char* file, const char* text) {
    fixture.Write("examples/naval/pyproject.toml", "[project]\nname = \"naval\"\n");
    fixture.Write(file, text);
    fixture.set_root("examples/naval");
    return fixture.validator().Applies(fixture.Look());
  };
  EXPECT_FALSE(
      applies(mypy, "pyproject.toml", "[tool.mypy]\nfiles = [\"src\", \"tests/typing\"]\n"));
  EXPECT_TRUE(applies(mypy, "pyproject.toml", "[tool.mypy]\nfiles = [\"src\", \"examples\"]\n"));
  EXPECT_TRUE(applies(mypy, "pyproject.toml", "[tool.mypy]\nfiles = \"examples/*/naval.py\"\n"));
  EXPECT_TRUE(
      applies(mypy, "pyproject.toml", "[tool.mypy]\nfiles = [\"src\"]\nmodules = [\"n\"]\n"));
  EXPECT_TRUE(
      applies(mypy, "pyproject.toml", "[tool.mypy]\nstrict = true\n[tool.x]\nfiles = [\"a\"]\n"));
  EXPECT_TRUE(applies(mypy, "pyproject.toml",
                      "[tool.mypy]\nfiles = [\"$MYPY_CONFIG_FILE_DIR/examples\"]\n"));
  EXPECT_TRUE(applies(mypy, "pyproject.toml", "[tool.mypy]\nfiles = [\"/srv/shop/examples\"]\n"));
  EXPECT_FALSE(applies(mypy, "mypy.ini", "[mypy]\nfiles = src,\n  tests\n"));
  EXPECT_FALSE(applies(pyright, "pyproject.toml", "[tool.pyright]\ninclude = [\"src\"]\n"));
  EXPECT_TRUE(applies(pyright, "pyproject.toml", "[tool.pyright]\ninclude = [\".\"]\n"));
  EXPECT_FALSE(applies(pyright, "pyrightconfig.json", "{\"include\": [\"src\"], // ours\n}"));
  mypy.set_root(".");
  EXPECT_TRUE(mypy.validator().Applies(mypy.Look()));
}

TEST(MypyTest, ModulesOfOneNameAreToldApartByTheirPaths) {
  if (!HasProgram("mypy")) GTEST_SKIP() << "mypy is not installed";
  ValidationFixture fixture(NewMypyValidator(), "python");
  fixture.Write("mypy.ini", "[mypy]\n");
  fixture.Write("a/conftest.py", "x: int = 1\n");
  fixture.Write("b/conftest.py", "x: int = 1\n");
  ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("a/conftest.py", "b/conftest.py")));
  fixture.Write("b/conftest.py", "x: int = ''\n");
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kFail);
}

TEST(MypyTest, FaultOfTheConfigurationIsAFailure) {
  if (!HasProgram("mypy")) GTEST_SKIP() << "mypy is not installed";
  ValidationFixture fixture(NewMypyValidator(), "python");
  fixture.Write("a.py", kGood);
  fixture.Write("mypy.ini", "[mypy]\nstrict = maybe\npython_version = 2.7\n");
  const ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
}

class PyCompile : public testing::Test {
 protected:
  PyCompile() : fixture_(NewPyCompileValidator(), "python") {}
  void SetUp() override {
    if (!HasProgram("python3")) GTEST_SKIP() << "python3 is not installed";
  }
  ValidationFixture fixture_;
};

TEST_F(PyCompile, EveryBrokenFileIsReportedAndNothingIsWritten) {
  fixture_.Write("a.py", kGood);
  fixture_.Write("b c.py", "é日 = 'x' 1\n");
  fixture_.Write("d.py", "def f(:\n");
  fixture_.Write("json.py", "raise SystemExit(0)\n");  // shadows what the script imports
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  ASSERT_EQ(result.diagnostics.size(), 2u) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "b c.py");
  EXPECT_EQ(result.diagnostics[1].file, "d.py");
  EXPECT_EQ(result.diagnostics[1].line, 1);
  EXPECT_EQ(result.diagnostics[1].column, 7);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("a.py", "b c.py", "d.py", "json.py")));
  fixture_.Write("b c.py", "é日 = 'x'\n");
  fixture_.Write("d.py", "x = 1\n");
  result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
}

TEST_F(PyCompile, HostileSourcesDoNotStopIt) {
  fixture_.Write("nul.py", absl::string_view("a\0b\n", 4));
  fixture_.Write("bytes.py", "x = '\xff'\n");
  fixture_.Write("deep.py", std::string(5000, '(') + std::string(5000, ')') + "\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(CountErrors(result.diagnostics), 3u) << Describe(result);
}

TEST_F(PyCompile, WarningsOnlyPass) {
  fixture_.Write("a.py", "if 1 is 1: pass\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::kWarning);
}

TEST_F(PyCompile, MissingBrokenAndSlowProgramsNeverPass) {
  fixture_.Write("a.py", kGood);
  fixture_.set_timeout(absl::Milliseconds(1));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
  fixture_.set_timeout(absl::Minutes(5));
  std::vector<BrokenProgram> programs = BrokenPrograms();
  programs.push_back({"prints 'error' and exits 0", "echo error; exit 0\n"});
  programs.push_back({"knows its version only", "echo Python 3.11; exit 0\n"});
  for (const BrokenProgram& program : programs) {
    fixture_.FakeProgram("python3", program.script);
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << program.name;
  }
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult missing = fixture_.Validate();
  EXPECT_EQ(missing.verdict, Verdict::kNoValidator);
  EXPECT_THAT(missing.message, HasSubstr("apt-get install python3"));
}

}  // namespace
}  // namespace stile

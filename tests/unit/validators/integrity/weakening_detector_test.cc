#include "validators/integrity/weakening_detector.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/memory_files.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using testing::HasSubstr;

class WeakeningTest : public testing::Test {
 protected:
  // "a.py:3 grave '…' …" a line each.
  std::string Compare(const std::vector<ContentPair>& changes) const {
    std::string text;
    for (const Weakening& weakening :
         NewWeakeningDetector(&languages_)->Compare(changes, MemoryFiles(changes))) {
      absl::StrAppend(&text, weakening.path, ":", weakening.line,
                      weakening.weight == Weakening::Weight::kGrave ? " grave " : " minor ",
                      weakening.what, "\n");
    }
    return text;
  }
  std::string Compare(const std::string& path, const std::string& before,
                      const std::string& after) const {
    return Compare({{path, before, after}});
  }
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
};

TEST_F(WeakeningTest, SuppressionsOfEveryLanguageAreFoundWhereTheyAreCode) {
  struct Case {
    const char* path;
    const char* before;
    const char* after;
    const char* found;
  };
  const std::vector<Case> cases = {
      {"a.py", "x = 1\n", "# mypy: ignore-errors\nx = 1\n",
       "a.py:1 grave '# mypy: ignore-errors' keeps the file from being checked\n"},
      {"a.py", "x = 1\n", "# licence\n# type: ignore\nx = 1\n",
       "a.py:2 grave '# type: ignore' keeps the file from being checked\n"},
      {"a.py", "x = 1\n", "x = 1  # type: ignore[misc]\n",
       "a.py:1 minor '# type: ignore[misc]' silences the compiler there\n"},
      {"a.py", "x = 1\n", "x = '# type: ignore'\n", ""},
      {"a.py", "x = 1\n", "# mypy: disallow-untyped-defs\nx = 1\n", ""},
      {"a.ts", "let a = 1;\n", "// @ts-nocheck\nlet a = 1;\n",
       "a.ts:1 grave '// @ts-nocheck' keeps the file from being checked\n"},
      {"a.tsx", "let a = 1;\n", "let a = 1;\n// @ts-ignore\nlet b = <a/>;\n",
       "a.tsx:2 minor '// @ts-ignore' silences the compiler there\n"},
      {"a.js", "let a = 1;\n", "let a = '@ts-nocheck';\n", ""},
      {"a.cs", "class A {}\n", "#pragma warning disable CS0168\nclass A {}\n",
       "a.cs:1 minor '#pragma warning disable CS0168' silences the compiler there\n"},
      {"a.rs", "fn a() {}\n", "#[allow(dead_code)]\nfn a() {}\n",
       "a.rs:1 minor '#[allow(dead_code)]' silences the compiler there\n"},
      {"A.java", "class A {}\n", "@SuppressWarnings(\"all\") class A {}\n",
       "A.java:1 minor '@SuppressWarnings(\"all\")' silences the compiler there\n"},
      {"a.go", "package a\n", "package a\n\nvar x = 1 //nolint\n",
       "a.go:3 minor '//nolint' silences the compiler there\n"},
      {"a.c", "int a;\n", "#pragma GCC diagnostic ignored \"-Wall\"\nint a;\n",
       "a.c:1 minor '#pragma GCC diagnostic ignored \"-Wall\"' silences the compiler there\n"},
      {"a.cc", "int a;\n", "#pragma GCC system_header\nint a;\n",
       "a.cc:1 grave '#pragma GCC system_header' keeps the file from being checked\n"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Compare(c.path, c.before, c.after), c.found) << c.after;
    EXPECT_EQ(Compare(c.path, c.after, c.after), "") << "it was there before: " << c.after;
  }
}

TEST_F(WeakeningTest, TestsAreCompared) {  // more of them in test_weakening_test.cc
  const std::string test = "def test_a():\n    assert f(1) == 2\n";
  EXPECT_THAT(Compare("test_a.py", test, "@pytest.mark.skip\n" + test),
              HasSubstr("keeps tests from running"));
  EXPECT_THAT(Compare("test_a.py", test, ""), HasSubstr("the test 'test_a' is gone"));
  EXPECT_EQ(Compare({{"test_a.py", test, std::nullopt}, {"sub/test_b.py", std::nullopt, test}}),
            "");
  EXPECT_EQ(Compare("a.go", "", "package a\nfunc f() { scanner.Skip() }\n"), "");
  EXPECT_EQ(Compare("a.ts", "", "it.skip('not a file of tests');\n"), "");
}

TEST_F(WeakeningTest, LoosenedSettingsAreFoundAndTightenedOnesAreNot) {
  struct Case {
    const char* path;
    const char* strict;
    const char* loose;
  };
  const std::vector<Case> cases = {
      {"tsconfig.json", "{\"compilerOptions\": {\"strict\": true /* yes */,}}",
       "{\"compilerOptions\": {}}"},
      {"tsconfig.json", "{}", "{\"compilerOptions\": {\"noCheck\": true}}"},
      {"tsconfig.json", "{}", "{\"compilerOptions\": {\"skipLibCheck\": true}}"},
      {"tsconfig.json", "{}", "{\"compilerOptions\": {\"allowUnreachableCode\": true}}"},
      {"tsconfig.json", "{\"compilerOptions\": {\"allowUnusedLabels\": false}}", "{}"},
      {"tsconfig.json", "{\"compilerOptions\": {\"noEmitOnError\": true}}", "{}"},
      {"pyrightconfig.json", "{}", "{\"ignore\": [\"src\"]}"},
      {"CMakeLists.txt", "project(a)\n", "project(a)\nadd_compile_options($<1:-fpermissive>)\n"},
      {"CMakeLists.txt", "project(a)\n", "project(a)\nadd_compile_options($<1:-Wno-error=a>)\n"},
      {"CMakeLists.txt", "project(a)\n", "project(a)\nadd_compile_options(-f$<1:permissive>)\n"},
      {"CMakeLists.txt", "project(a)\n",
       "project(a)\nset(X no-error)\nadd_compile_options(-W${X})\n"},
      {"CMakeLists.txt", "project(a)\n", "project(a)\nset(X w)\nadd_compile_options(-${X})\n"},
      {"Makefile", "a:\n\tcc a.c\n", "D=-W\nCFLAGS=$(D)no-error\na:\n\tcc a.c\n"},
      {"Makefile", "a:\n\tcc a.c\n", "a:\n\tcc --no-warnings a.c\n"},
      {"Directory.Build.rsp", "", "-p:TreatWarningsAsErrors=false\n"},
      {"Directory.Build.rsp", "-m\n", "-m\n/property:NoWarn=CS8602\n"},
      {"MSBuild.rsp", "", "-t:Clean\n"},
      {"a.csproj", "<P/>", "<P><WarningLevel>0</WarningLevel></P>"},
      {"a.csproj", "<P/>", "<P><SkipCompilerExecution>true</SkipCompilerExecution></P>"},
      {"mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\n"},
      {"mypy.ini", "[mypy]\n", "[mypy]\n[mypy-a.*]\nignore_errors = True\n"},
      {"pyproject.toml", "[tool.mypy]\n", "[tool.mypy]\ndisable_error_code = [\"misc\"]\n"},
      {"pyproject.toml", "[tool.pytest.ini_options]\n",
       "[tool.pytest.ini_options]\naddopts = \"--deselect tests/a.py\"\n"},
      {"pyrightconfig.json", "{\"typeCheckingMode\": \"strict\"}",
       "{\"typeCheckingMode\": \"basic\"}"},
      {"pyrightconfig.json", "{}", "{\"reportMissingImports\": false}"},
      {"a.csproj", "<Project/>", "<Project><NoWarn>$(NoWarn);CS8602</NoWarn></Project>"},
      {"Directory.Build.props", "<P><TreatWarningsAsErrors>true</TreatWarningsAsErrors></P>",
       "<P/>"},
      {"pom.xml", "<project/>", "<project><skipTests>true</skipTests></project>"},
      {"tsconfig.json", "{\"extends\": \"./strict.json\"}", "{\"extends\": \"./loose.json\"}"},
      {"mypy.ini", "[mypy]\nenable_error_code = possibly-undefined, truthy-bool\n",
       "[mypy]\nenable_error_code = truthy-bool\n"},
      {"mypy.ini", "[mypy]\n", "[mypy]\nalways_false = FAST\n"},
      {"mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nstrict = True  # all of them\n"},
      {"mypy.ini", "[mypy]\n", "[mypy]\nwarn_no_return = False\n"},
      {"mypy.ini", "[mypy]\nstrict = True\n",
       "[mypy]\nstrict = True\ndisallow_untyped_globals = False\n"},
      {".cargo/config.toml", "\n", "[target.'cfg(unix)']\nrunner = [\"sh\", \"run.sh\"]\n"},
      {"Cargo.toml", "\n", "[profile.test]\ndebug-assertions = false\n"},
      {"mypy.ini", "[mypy]\n", "[mypy]\nplugins = quiet.py\n"},
      {"pytest.ini", "[pytest]\npython_files = test_*.py\n",
       "[pytest]\npython_files = none_*.py\n"},
      {"Makefile", "a:\n\tcc a.c\n", "a:\n\tcc -w a.c\n"},
      {"CMakeLists.txt", "add_compile_options(-Wall)\n",
       "add_compile_options(-Wall -Wno-error=return-type)\n"},
      {"CMakeLists.txt", "project(a)\n", "project(a)\nset(CMAKE_C_COMPILER_LAUNCHER true)\n"},
      {"lib/Cargo.toml", "[lib]\n", "[lib]\ntest = false\n"},
      {".cargo/config.toml", "[build]\n", "[build]\nrustflags = [\"--cap-lints\", \"allow\"]\n"},
      {".editorconfig", "[*.cs]\n", "[*.cs]\ndotnet_diagnostic.CS8602.severity = none\n"},
      {".editorconfig", "[*.cs]\n", "[*.cs]\n  Dotnet_Diagnostic.CS8602.Severity = none\n"},
      {"pyproject.toml", "[tool.mypy]\nfiles = [\"a\"]\n",
       "[tool.mypy]\nfiles = [\"a\"]\n  ignore_errors = true\n"},
      {"pyproject.toml", "[tool.x]\n", "[tool.x]\n [tool.mypy] # [y]\nignore_errors = true\n"},
      {"pyproject.toml", "[tool]\n", "[tool]\n\"mypy\".ignore_errors = true\n"},
      {"pyproject.toml", "[tool.mypy]\n",
       "[tool.mypy]\nfiles = [ # all\n \"a]\",\n]\nignore_errors = true\n"},
      {"pyproject.toml", "[tool.mypy]\n",
       "[tool.mypy]\noverrides = [{module = \"a\", ignore_errors = true}]\n"},
      {"pyproject.toml", "[[tool.mypy.overrides]]\nmodule = \"a\"\nignore_errors = true\n",
       "[[tool.mypy.overrides]]\nmodule = \"a\"\nignore_errors = true\n"
       "[[tool.mypy.overrides]]\nmodule = [\"b\", \"c\"]\nignore_errors = true\n"},
      {"mypy.ini", "[mypy]\nfiles = a\n", "[mypy]\n  files = a\n  ignore_errors = True\n"},
      {"mypy.ini", "[mypy]\nfiles = a\n", "[mypy]\nfiles = a\n[mypy-a] x\nIgnore_Errors: True\n"},
      {"a.csproj", "<P><Nullable>enable</Nullable></P>",
       "<P><Nullable>enable</Nullable><Nullable>disable</Nullable></P>"},
      {"a.csproj", "<P><Nullable>enable</Nullable></P>",
       "<P><!-- <Nullable>enable</Nullable> --></P>"},
      {"a.csproj", "<P/>", "<P><TreatWarningsAsErrors>false</TreatWarningsAsErrors></P>"},
      {"Makefile", "a:\n\tcc a.c\n", "CFLAGS=-w\na:\n\tcc a.c\n"},
      {"Makefile", "a:\n\tcc a.c\n", "CXXFLAGS+=-fpermissive\na:\n\tcc a.c\n"},
      {"CMakeLists.txt", "project(a)\n",
       "project(a)\nadd_compile_options($<$<CONFIG:Debug>:-w>)\n"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Compare(c.path, c.strict, c.loose), HasSubstr("a setting was loosened")) << c.loose;
    // Which of two bases, or of two patterns, is the stricter one cannot be told.
    const std::string back = Compare(c.path, c.loose, c.strict);
    if (!absl::StrContains(back, "the base is") &&
        !absl::StrContains(back, "pytest: python_files")) {
      EXPECT_EQ(back, "") << c.strict;
    }
  }
  EXPECT_EQ(Compare({{"mypy.ini", std::nullopt, "[mypy]\nfiles = src\n"}}), "") << "a new one";
  EXPECT_THAT(Compare({{"mypy.ini", "[mypy]\nstrict = true\n", std::nullopt}}),
              HasSubstr("strict is not on"));
  EXPECT_EQ(Compare("package.json", "{}", "{\"noCheck\": true}"), "");
  EXPECT_THAT(
      Compare("pyproject.toml", "[[tool.mypy.overrides]]\nmodule = \"a\"\nignore_errors = true\n",
              "[[tool.mypy.overrides]]\nmodule = \"*\"\nignore_errors = true\n"),
      HasSubstr("[mypy-*] ignore_errors is on"));
}

TEST_F(WeakeningTest, ChecksThatAreTakenOutAreFound) {
  struct Case {
    const char* path;
    const char* strict;
    const char* loose;
  };
  const std::vector<Case> cases = {
      {"Makefile", "CFLAGS = -Wall -Werror\n", "CFLAGS = -Wall\n"},
      {"CMakeLists.txt", "target_compile_options(a PRIVATE $<$<C_COMPILER_ID:GNU>:-Werror>)\n",
       "\n"},
      {"Cargo.toml", "[lints.rust]\nunsafe_code = \"forbid\"\n", "[lints.rust]\n"},
      {"Cargo.toml", "[workspace.lints.clippy]\nall = { level = \"deny\", priority = -1 }\n", "\n"},
      {"src/lib.rs", "#![deny(warnings)]\nfn f() {}\n", "fn f() {}\n"},
      {".editorconfig", "[*.cs]\ndotnet_diagnostic.CS8602.severity = error\n", "[*.cs]\n"},
      {"a.csproj", "<P><WarningsAsErrors>CS1;CS2</WarningsAsErrors></P>",
       "<P><WarningsAsErrors>CS1</WarningsAsErrors></P>"},
      {"a.csproj", "<P><MSBuildTreatWarningsAsErrors>true</MSBuildTreatWarningsAsErrors></P>",
       "<P/>"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Compare(c.path, c.strict, c.loose), HasSubstr("a check was taken out")) << c.strict;
    EXPECT_EQ(Compare(c.path, c.loose, c.strict), "") << c.strict;
    EXPECT_EQ(Compare({{c.path, c.strict, std::nullopt}}), "") << "gone with its file";
  }
}

TEST_F(WeakeningTest, SettingsMayMoveUpwards) {
  const std::string on = "<P><Nullable>enable</Nullable></P>";
  EXPECT_EQ(Compare({{"Directory.Build.props", "<P/>", on}, {"src/a.csproj", on, "<P/>"}}), "");
  EXPECT_THAT(Compare({{"other/b.csproj", "<P/>", on}, {"src/a.csproj", on, "<P/>"}}),
              HasSubstr("Nullable is not on"));
  EXPECT_EQ(Compare({{"CMakeLists.txt", "", "add_compile_options(-Werror)\n"},
                     {"src/CMakeLists.txt", "add_compile_options(-Werror)\n", "\n"}}),
            "");
  EXPECT_EQ(Compare({{"web/tsconfig.json", std::nullopt, "{\"extends\": \"../base.json\"}"}}),
            Compare({{"web/tsconfig.json", std::nullopt, "{}"}}));
}

TEST_F(WeakeningTest, ANewFileThatTheCheckerReadsFirstLoosensTheNext) {
  const std::string strict = "[tool.mypy]\nstrict = true\n";
  EXPECT_THAT(Compare({{"mypy.ini", std::nullopt, "[mypy]\nfiles = src\n"},
                       {"pyproject.toml", strict, strict}}),
              HasSubstr("takes the place of pyproject.toml, and a setting was loosened"));
  EXPECT_EQ(Compare({{"mypy.ini", std::nullopt, "[mypy]\nstrict = True\n"},
                     {"pyproject.toml", strict, strict}}),
            "");
  EXPECT_EQ(Compare({{"mypy.ini", std::nullopt, "[mypy]\nstrict = True\n"},
                     {"pyproject.toml", strict, "[project]\n"}}),
            "");
}

TEST_F(WeakeningTest, SettingsMayMoveToOtherFiles) {
  EXPECT_EQ(Compare({{"mypy.ini",
                      "[mypy]\nstrict = True\n[mypy-a.*,b]\nignore_errors = True\n"
                      "[tool:pytest]\npython_files = a_*.py b_*.py\n",
                      std::nullopt},
                     {"pyproject.toml", "",
                      "[tool.mypy]\nstrict = true\n[[tool.mypy.overrides]]\n"
                      "module = [\"a.*\", \"b\"]\nignore_errors = true\n"
                      "[tool.pytest.ini_options]\npython_files = [\"a_*.py\", \"b_*.py\"]\n"}}),
            "");
  const std::string flags = "add_compile_options(-Wall -Werror)\n";
  EXPECT_EQ(Compare({{"CMakeLists.txt", flags, "include(cmake/flags.cmake)\n"},
                     {"cmake/flags.cmake", std::nullopt, flags}}),
            "");
  EXPECT_THAT(
      Compare({{"CMakeLists.txt", flags, "\n"}, {"cmake/flags.cmake", std::nullopt, flags}}),
      HasSubstr("-Werror"));
  const std::string strict = "{\"compilerOptions\": {\"strict\": true}}";
  // A base has any name; a file without options is none.
  EXPECT_THAT(Compare({{"conf/base.json", strict, "{\"compilerOptions\": {\"strict\": false}}"}}),
              HasSubstr("strict is not on"));
  EXPECT_EQ(Compare({{"conf/table.json", "{\"extends\": \"a\"}", "{\"extends\": \"b\"}"},
                     {"new.json", std::nullopt, "{}"},
                     {"gone.json", "[1]", std::nullopt}}),
            "");
  const std::string extends = "{\"extends\": \"./conf/tsconfig.base.json\"}";
  EXPECT_EQ(Compare({{"tsconfig.json", strict, extends},
                     {"conf/tsconfig.base.json", std::nullopt, strict}}),
            "");
  EXPECT_THAT(Compare({{"tsconfig.json", strict, extends},
                       {"conf/tsconfig.base.json", std::nullopt, "{}"}}),
              HasSubstr("strict is not on"));
  EXPECT_EQ(Compare({{"tsconfig.json", "{\"extends\": \"./tsconfig.old.json\"}",
                      "{\"extends\": \"./tsconfig.base\"}"},
                     {"tsconfig.old.json", strict, std::nullopt},
                     {"tsconfig.base.json", std::nullopt, strict}}),
            "");
  EXPECT_THAT(Compare({{"tsconfig.json", "{\"extends\": \"./tsconfig.old.json\"}", extends},
                       {"conf/tsconfig.base.json", std::nullopt, strict}}),
              HasSubstr("the base is"))
      << "nobody knows what the old one asked for";
  for (const char* base : {"./base.json", "./tsconfig.base.json"}) {
    EXPECT_THAT(Compare({{"tsconfig.json", strict, absl::StrCat("{\"extends\": \"", base, "\"}")},
                         {base + 2, std::nullopt, "{\"extends\": \"./loose.json\"}"}}),
                HasSubstr("the base is"))
        << "nor what the new one does";
  }
}

TEST_F(WeakeningTest, WhatDecidesAboutAllTestsIsFound) {
  for (const char* text : {
           "def pytest_runtest_makereport(item, call): call.excinfo.clear()\n",
           "def pytest_collection_modifyitems(items):\n    items.clear()\n",
           "collect_ignore = ['test_a.py']\n",
           "import pytest\nnumpy = pytest.importorskip('numpy')\n",
           "@pytest.fixture(autouse=True)\ndef none():\n    pytest.skip('later')\n",
       }) {
    EXPECT_THAT(Compare("tests/conftest.py", "", text), HasSubstr("keeps tests from running"))
        << text;
    EXPECT_EQ(Compare("tests/conftest.py", text, text), "") << text;
  }
  EXPECT_EQ(Compare("tests/conftest.py", "", "def pytest_addoption(parser): pass\n"), "");
  const std::string test = "def test_a(): assert f(1) == 2\n";
  for (const char* text : {
           "pytestmark = pytest.mark.skip(reason='later')\n",
           "pytestmark = [pytest.mark.slow, pytest.mark.xfail]\n",
           "A = pytest.param(1, marks=pytest.mark.skip)\n",
           "def f(item):\n    item.add_marker(pytest.mark.skip)\n",
       }) {
    EXPECT_THAT(Compare("test_a.py", test, text + test), HasSubstr("keeps tests from running"))
        << text;
  }
}

TEST_F(WeakeningTest, AnnotationsMayNotBeTakenAway) {
  const std::string typed = "def f(a: int, b=1): pass\ndef g() -> int: pass\n";
  EXPECT_THAT(Compare("a.py", typed, "def f(a, b=1): pass\ndef g() -> int: pass\n"),
              HasSubstr("a.py:1 grave the annotations of 'f' are gone"));
  EXPECT_THAT(Compare("a.py", typed, "def f(a: int, b=1): pass\ndef g(): pass\n"),
              HasSubstr("a.py:2 grave the annotations of 'g' are gone"));
  EXPECT_EQ(Compare("a.py", typed, "def f(a, b: int = 1): pass\ndef h(): pass\n"), "");
  EXPECT_EQ(Compare("a.py", "", "def f(a): pass\n"), "");
}

TEST_F(WeakeningTest, ACommentThatAsksForACheckMustStay) {
  EXPECT_THAT(Compare("a.js", "// @ts-check\nlet a = 1;\n", "let a = 1;\n"),
              HasSubstr("asked for the file to be checked is gone"));
  EXPECT_EQ(Compare("a.js", "let a = 1;\n", "// @ts-check\nlet a = 1;\n"), "");
  EXPECT_EQ(Compare({{"a.js", "// @ts-check\nlet a = 1;\n", std::nullopt}}), "");
}

TEST_F(WeakeningTest, TheSettingsOfTheGateAreNotTheAgents) {
  EXPECT_THAT(Compare("stile.yaml", "", "gate: {mode: observe}\n"),
              HasSubstr("not the agent's to change"));
}

TEST_F(WeakeningTest, HostileFilesAreNoTrouble) {
  std::string comments;
  for (int i = 0; i < 20'000; ++i) comments += "# type: ignore\n";
  Compare("a.py", "", comments);
  for (const char* path :
       {"tsconfig.json", "mypy.ini", "a.csproj", "a.py", "pyrightconfig.json", "pom.xml"}) {
    for (const std::string& text :
         {std::string("\xff\xfe"), std::string(100'000, '['), std::string("/*"), std::string("\""),
          std::string("{\"compilerOptions\": []}"), std::string("[")}) {
      Compare(path, "", text);
    }
  }
}

}  // namespace
}  // namespace stile

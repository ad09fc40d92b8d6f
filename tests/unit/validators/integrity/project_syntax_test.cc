#include "validators/integrity/project_syntax.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

struct Case {
  const char* path;
  std::string text;
};

TEST(ProjectSyntaxTest, FilesThatParseHaveNoFault) {
  const std::vector<Case> cases = {
      {"package.json", "\xEF\xBB\xBF{\"name\": \"a\"}\n"},
      {"web/tsconfig.json", "{// base\n\"include\": [\"src\",],}\n"},
      {"pyproject.toml",
       "# all\n[build-system]\nrequires = [\n  'a>=1', # one\n  \"b\",\n]\n[tool.'a.b'.c]\n"
       "x = {a = 1, \"b\" = [1.5e3, 0x1F, true]}\nd = 1979-05-27 07:32:00Z\n"
       "l = \"\"\"a\n\\\n b\"\"\"\nm = '''\"''''\na.b = -1_000\na.c = inf\n"
       "[[tool.mypy.overrides]]\nmodule = \"a\"\n[[tool.mypy.overrides]]\nmodule = \"b\"\r\n"},
      {"Cargo.toml", "[[bin]]\nname='a'\n[bin.x]\ny=1\n[[bin]]\nname='b'\n[bin.x]\ny=2"},
      {"a.csproj",
       "<?xml version=\"1.0\"?>\n<!-- <a> -->\n<Project Sdk='x'>\n<A B=\"&quot;$(C)\" />"
       "<D>a &amp; b</D><![CDATA[<]]></Project >\n"},
      {"a.sln",
       "\xEF\xBB\xBF\r\nMicrosoft Visual Studio Solution File, Format Version 12.00\r\n# 17\r\n"
       "VisualStudioVersion = 17.0\r\nProject(\"{F}\") = \"a\", \"a.csproj\", \"{B}\"\r\n"
       "EndProject\r\nGlobal\r\n\tGlobalSection(X) = preSolution\r\n\t\tA = B\r\n"
       "\tEndGlobalSection\r\nEndGlobal\r\n"},
      {"go.mod", "// shop\nmodule a\n\ngo 1.22\nrequire (\n\tb v1.0.0 // indirect\n)\n"},
      {"go.work", "go 1.22\nuse ./a\n"},
      {"mypy.ini", "[mypy]\nfiles =\n  a,\n  b\n[mypy-c.*]\nignore_errors: False\n"},
      {"notes.json", "{"},
  };
  for (const Case& c : cases) {
    const auto fault = ProjectSyntaxFault(c.path, c.text);
    EXPECT_FALSE(fault.has_value()) << c.path << ":" << fault->line << ": " << fault->what;
  }
}

TEST(ProjectSyntaxTest, FilesThatDoNotParseHaveOne) {
  const std::vector<Case> cases = {
      {"package.json", "{\"name\": \"a\",}"},
      {"package.json", "[]"},
      {"package.json", ""},
      {"tsconfig.json", "{\"compilerOptions\": {\"strict\": true}"},
      {"pyproject.toml", "[tool.mypy\nstrict = true\n"},
      {"pyproject.toml", "strict true\n"},
      {"pyproject.toml", "a = \"b\nc = 1\n"},
      {"pyproject.toml", "a = [1, 2\n"},
      {"pyproject.toml", "a = {b = 1,\nc = 2}\n"},
      {"pyproject.toml", "a = yes\n"},
      {"pyproject.toml", "a = 1 b = 2\n"},
      {"pyproject.toml", "a = 1\na = 2\n"},
      {"pyproject.toml", "[a]\n[b]\n[a]\n"},
      {"pyproject.toml", "a = \"\\q\"\n"},
      {"pyproject.toml", "a = \"\xff\"\n"},
      {"Cargo.toml", std::string(5000, '[')},
      {"Cargo.toml", "a = " + std::string(5000, '[')},
      {"a.csproj", "<Project><A></Project>"},
      {"a.csproj", "<Project><A B=1/></Project>"},
      {"a.csproj", "<Project>a & b</Project>"},
      {"a.csproj", "<Project/><Project/>"},
      {"a.csproj", "<Project><!-- </Project>"},
      {"a.csproj", "<Project"},
      {"a.csproj", ""},
      {"Directory.Build.props", "<Project A='1' A='2'/>"},
      {"a.sln", "Project(\"{F}\") = \"a\"\nEndProject\n"},
      {"a.sln", "Microsoft Visual Studio Solution File, Format Version 12.00\nProject(\"{F}\")\n"},
      {"a.sln", "Microsoft Visual Studio Solution File, Format Version 12.00\n<<<<<<< HEAD\n"},
      {"a.sln", ""},
      {"go.mod", "go 1.22\n"},
      {"go.mod", "module a\nrequire (\n\tb v1.0.0\n"},
      {"go.mod", "module\n"},
      {"mypy.ini", "strict = True\n"},
      {"mypy.ini", "[mypy]\nstrict\n"},
      {"mypy.ini", "[mypy]\nstrict = True\n[mypy]\n"},
      {"setup.cfg", "[mypy]\nstrict = True\nStrict = True\n"},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(ProjectSyntaxFault(c.path, c.text).has_value()) << c.path << ": " << c.text;
  }
}

TEST(ProjectSyntaxTest, AFaultNamesItsLine) {
  EXPECT_EQ(ProjectSyntaxFault("pyproject.toml", "a = 1\n\nb = [\n")->line, 3);
  EXPECT_EQ(ProjectSyntaxFault("a.csproj", "<A>\n<B>\n</A>")->line, 3);
}

TEST(ProjectSyntaxTest, OnlyAFileThatParsedOrIsNewCountsAsBroken) {
  const std::vector<Weakening> broken = CompareProjectSyntax({"package.json", "{}", "{"});
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].weight, Weakening::Weight::kGrave);
  EXPECT_EQ(broken[0].rule, "project-file-broken");
  EXPECT_EQ(CompareProjectSyntax({"package.json", std::nullopt, "{"}).size(), 1u);
  EXPECT_TRUE(CompareProjectSyntax({"package.json", "{", "{ "}).empty());
  EXPECT_TRUE(CompareProjectSyntax({"package.json", "{}", std::nullopt}).empty());
  EXPECT_TRUE(CompareProjectSyntax({"a/testdata/package.json", std::nullopt, "{"}).empty());
  EXPECT_EQ(CompareProjectSyntax({"a/testdata/package.json", "{}", "{"}).size(), 1u);
}

}  // namespace
}  // namespace stile

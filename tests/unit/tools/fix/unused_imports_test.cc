#include "tools/fix/unused_imports.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/case_file.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Cleaned {
  std::string text;
  std::vector<std::string> kept;
};

// a.py of the case without the words of import statements that `unused` lists.
Cleaned Clean(const std::string& text, const std::vector<std::string>& unused,
              const std::string& more = "") {
  CaseFile files(absl::StrCat("=== a.py\n", text, more));
  const auto file = files.index.Open("a.py");
  EXPECT_TRUE(file.ok()) << file.status();
  std::vector<CodeRange> ranges;
  for (const std::string& word : unused) {
    const size_t at = (*file)->text.find(word);
    EXPECT_NE(at, std::string::npos) << word;
    ranges.push_back({"a.py", static_cast<uint32_t>(at), static_cast<uint32_t>(at + word.size())});
  }
  const auto removal = RemoveUnusedImports(**file, ranges, &files.index);
  EXPECT_TRUE(removal.ok()) << removal.status();
  return {ApplyEdits((*file)->text, removal->edits), removal->kept};
}

TEST(UnusedImportsTest, RemovesNamesAndWholeStatements) {
  EXPECT_EQ(Clean("import os\nimport sys\nsys.exit()\n", {"os"}).text, "import sys\nsys.exit()\n");
  EXPECT_EQ(Clean("from math import d, b, c\nb()\n", {"d", "c"}).text, "from math import b\nb()\n");
  EXPECT_EQ(Clean("from math import (\n    aa,\n    bb as b,\n)\naa()\n", {"bb as b"}).text,
            "from math import (\n    aa,\n)\naa()\n");
  EXPECT_EQ(Clean("from math import (\n    aa,\n    bb,\n)\n", {"aa", "bb"}).text, "");
}

TEST(UnusedImportsTest, LeavesTextThatOnlyLooksLikeAnImport) {
  const std::string text =
      "\"\"\"Doc.\nfrom x import (\n\"\"\"\nimport os\nHELP = \"\"\"\nrun()\n\"\"\"\n";
  EXPECT_EQ(Clean(text, {"os"}).text,
            "\"\"\"Doc.\nfrom x import (\n\"\"\"\nHELP = \"\"\"\nrun()\n\"\"\"\n");
  EXPECT_EQ(Clean("x = 1; import os\n", {"os"}).text, "x = 1; import os\n");
  EXPECT_EQ(Clean("import os; x = 1\n", {"os"}).text, "import os; x = 1\n");
}

TEST(UnusedImportsTest, FindsStatementsBehindAByteOrderMark) {
  EXPECT_EQ(Clean("\xEF\xBB\xBFimport os\nx = 1\n", {"os"}).text, "\xEF\xBB\xBFx = 1\n");
}

TEST(UnusedImportsTest, KeepsWhatAnotherFileTakes) {
  const std::string text = "from enum import Thing\n";
  for (const char* const user :
       {"from a import Thing\n", "import a\na.Thing()\n", "import a as helpers\nhelpers.Thing()\n",
        "from a import *\nThing()\n", "patch(\"pkg.a.Thing\")\n"}) {
    EXPECT_THAT(Clean(text, {"Thing"}, absl::StrCat("=== use.py\n", user)).kept,
                ElementsAre("Thing in line 1: use.py takes it from this file"))
        << user;
  }
  const Cleaned cleaned = Clean(text, {"Thing"}, "=== use.py\nfrom enum import Thing\nimport a\n");
  EXPECT_EQ(cleaned.text, "");
  EXPECT_THAT(cleaned.kept, IsEmpty());
}

TEST(UnusedImportsTest, KeepsFixturesAndNamesInStrings) {
  EXPECT_THAT(Clean("from enum import db\ndef test_it(db):\n    pass\n", {"db"}).kept,
              ElementsAre("db in line 1: a parameter has its name, so it may be a fixture"));
  EXPECT_THAT(Clean("from enum import db\nmark.usefixtures('db')\n", {"db"}).kept,
              ElementsAre("db in line 1: a string of the file names it"));
}

TEST(UnusedImportsTest, KeepsModulesThatMayActWhenTheyAreLoaded) {
  const std::string why = "loading its module may have an effect";
  EXPECT_THAT(Clean("import readline\n", {"readline"}).kept,
              ElementsAre("readline in line 1: " + why));
  EXPECT_THAT(Clean("import plugins.all\n", {"plugins.all"}).kept,
              ElementsAre("plugins in line 1: " + why));
  EXPECT_THAT(Clean("import json\n", {"json"}, "=== json.py\nx = 1\n").kept,
              ElementsAre("json in line 1: " + why));
  EXPECT_THAT(Clean("from . import signals\n", {"signals"}, "=== signals.py\nx = 1\n").kept,
              ElementsAre("signals in line 1: " + why));
  EXPECT_THAT(
      Clean("from app.models import User\nimport app.x as y\n", {"User", "app.x as y"}).kept,
      ElementsAre("User in line 1: " + why, "y in line 2: " + why));
  EXPECT_THAT(Clean("from os import path as path\n", {"path as path"}).kept,
              ElementsAre("path in line 1: it is exported under its own name"));
  EXPECT_THAT(Clean("import logging.handlers\n", {"logging.handlers"}).kept,
              ElementsAre("logging in line 1: " + why));
  EXPECT_EQ(Clean("import json as j\nfrom os import path\n", {"json as j", "path"}).text, "");
}

TEST(UnusedImportsTest, KeepsStatementsWithAComment) {
  EXPECT_THAT(Clean("import os  # noqa\n", {"os"}).kept,
              ElementsAre("os in line 1: a comment stands beside it"));
  EXPECT_THAT(Clean("from m import (\n    a,  # used by b\n)\n", {"a"}).kept,
              ElementsAre("a in line 2: a comment stands beside it"));
}

}  // namespace
}  // namespace stile

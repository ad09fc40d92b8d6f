#include "tools/refactor/name_edits.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

ResolvedEdit Edit(uint32_t begin, uint32_t end, const std::string& text) {
  return {{"a.cs", begin, end}, text};
}

// "begin-end text" of each.
std::string Shown(const std::vector<ResolvedEdit>& edits) {
  std::string shown;
  for (const ResolvedEdit& edit : edits) {
    absl::StrAppend(&shown, edit.range.begin, "-", edit.range.end, " ", edit.text, "\n");
  }
  return shown;
}

TEST(ExpandToWordsTest, TakesTheWholeWord) {
  EXPECT_EQ(Shown(ExpandToWords({Edit(10, 10, "Zq")}, "class Node { }")), "6-10 NodeZq\n");
  EXPECT_EQ(Shown(ExpandToWords({Edit(6, 8, "K")}, "class Node { }")), "6-10 Kde\n");
  EXPECT_EQ(Shown(ExpandToWords({Edit(6, 10, "Vertex")}, "class Node { }")), "6-10 Vertex\n");
  EXPECT_EQ(Shown(ExpandToWords({Edit(2, 2, "b: ")}, "{ a }")), "2-3 b: a\n");
}

TEST(ExpandToWordsTest, JoinsEditsOfOneWord) {
  EXPECT_EQ(Shown(ExpandToWords({Edit(0, 1, "M"), Edit(3, 4, "k")}, "Node x")), "0-4 Modk\n");
  EXPECT_EQ(Shown(ExpandToWords({Edit(0, 1, "M"), Edit(5, 6, "y")}, "Node x")),
            "0-4 Mode\n5-6 y\n");
}

TEST(IsNameChangeTest, TakesTheNewNameForTheOld) {
  EXPECT_TRUE(IsNameChange("run", "go", "run", "go"));
  EXPECT_TRUE(IsNameChange("\"run\"", "\"go\"", "run", "go"));
  EXPECT_TRUE(IsNameChange("// run runs", "// go runs", "run", "go"));
  EXPECT_TRUE(IsNameChange("run", "go: run", "run", "go"));
  EXPECT_TRUE(IsNameChange("run", "run as go", "run", "go"));
  EXPECT_TRUE(IsNameChange("@run", "go", "run", "go"));
  EXPECT_TRUE(IsNameChange("Checked", "Tested", "CheckedAttribute", "TestedAttribute"));
  EXPECT_TRUE(IsNameChange("run", "go;\nimport static p.A.run", "run", "go"));
  EXPECT_TRUE(IsNameChange("Checked", "Tests", "CheckedAttribute", "Tests"));
}

TEST(IsNameChangeTest, TakesNothingElse) {
  EXPECT_FALSE(IsNameChange("run", "go():\n    evil()\ndef go", "run", "go"));
  EXPECT_FALSE(IsNameChange("def run(p):", "go", "run", "go"));
  EXPECT_FALSE(IsNameChange("run", "run", "run", "go"));
  EXPECT_FALSE(IsNameChange("runner", "goner", "run", "go"));
  EXPECT_FALSE(IsNameChange("", "go", "run", "go"));
  EXPECT_FALSE(IsNameChange("run", "go;\nimport static p.A.run; evil(); x.run", "run", "go"));
  EXPECT_FALSE(IsNameChange("s.run()", "Other.go(s)", "run", "go"));
}

}  // namespace
}  // namespace stile

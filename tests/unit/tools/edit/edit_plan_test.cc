#include "tools/edit/edit_plan.h"

#include <gtest/gtest.h>

namespace stile {
namespace {

TEST(EditPlanTest, AppliesEditsInAnyOrder) {
  EXPECT_EQ(ApplyEdits("one two three", {{8, 13, "3"}, {0, 3, "1"}}), "1 two 3");
  EXPECT_EQ(ApplyEdits("ab", {{1, 1, "x"}, {1, 1, "y"}, {1, 2, "B"}}), "axyB");
}

TEST(EditPlanTest, DiffsLikeDiff) {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
  EXPECT_EQ(UnifiedDiff("a/f", "b/f", before, {{2, 3, "two"}, {22, 23, "x"}}),
            "--- a/f\n+++ b/f\n"
            "@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n"
            "@@ -8,5 +8,5 @@\n 8\n 9\n 10\n-11\n+1x\n 12\n");
}

TEST(EditPlanTest, DiffsInsertionsAndDeletionsOfLines) {
  EXPECT_EQ(UnifiedDiff("a/f", "b/f", "1\n2\n", {{2, 2, "new\n"}}),
            "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n 1\n+new\n 2\n");
  EXPECT_EQ(UnifiedDiff("a/f", "b/f", "1\n2\n3\n", {{2, 4, ""}}),
            "--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n 1\n-2\n 3\n");
  EXPECT_EQ(UnifiedDiff("/dev/null", "b/f", "", {{0, 0, "x\n"}}),
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n");
}

TEST(EditPlanTest, DiffsALineWithoutEnd) {
  EXPECT_EQ(UnifiedDiff("a/f", "b/f", "1\n2", {{2, 3, "3"}}),
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n"
            "\\ No newline at end of file\n");
}

TEST(EditPlanTest, KeepsLineEndsAndByteOrderMark) {
  EditPlan plan;
  plan.EditText("crlf", "a\r\nb\r\n", {0, 0, "x\ny\r\n"});
  plan.EditText("lf", "a\nb\r\n", {0, 0, "x\n"});
  plan.EditText("mark",
                "\xEF\xBB\xBF"
                "a\n",
                {0, 0, "x\n"});
  EXPECT_EQ(plan.files().at("crlf").After(), "x\r\ny\r\na\r\nb\r\n");
  EXPECT_EQ(plan.files().at("lf").After(), "x\na\nb\r\n");
  EXPECT_EQ(plan.files().at("mark").After(), "\xEF\xBB\xBFx\na\n");
}

TEST(EditPlanTest, SeesEditsThatMeet) {
  const auto overlaps = [](const std::vector<TextEdit>& edits) {
    EditPlan plan;
    for (const TextEdit& edit : edits) plan.EditText("f", "0123", edit);
    return plan.HasOverlap();
  };
  EXPECT_FALSE(overlaps({{2, 4, "x"}, {0, 2, ""}, {2, 2, "y"}}));
  EXPECT_TRUE(overlaps({{0, 3, "x"}, {2, 4, ""}}));
  EXPECT_TRUE(overlaps({{3, 5, ""}}));
  EXPECT_TRUE(overlaps({{3, 2, ""}}));
}

}  // namespace
}  // namespace stile

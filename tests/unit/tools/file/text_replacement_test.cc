#include "tools/file/text_replacement.h"

#include "gtest/gtest.h"

namespace stile {
namespace {

TEST(ReplaceTextTest, CountsOccurrencesThatDoNotOverlap) {
  const TextReplacement replacement = ReplaceText("aaaa\naa", "aa", "b");
  EXPECT_EQ(replacement.content, "bb\nb");
  EXPECT_EQ(replacement.lines, (std::vector<size_t>{1, 1, 2}));
}

TEST(ReplaceTextTest, AMissChangesNothing) {
  const TextReplacement replacement = ReplaceText("a\r\nb", "c", "d");
  EXPECT_EQ(replacement.content, "a\r\nb");
  EXPECT_TRUE(replacement.lines.empty());
}

TEST(ReplaceTextTest, CrlfFilesTakeLfText) {
  EXPECT_EQ(ReplaceText("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz").content, "x\r\ny\r\nz\r\nc\r\n");
  EXPECT_EQ(ReplaceText("a\r\nb\r\n", "b", "x\ny").content, "a\r\nx\r\ny\r\n");
  EXPECT_EQ(ReplaceText("a\r\nb\r\na\r\nb\r\n", "a\nb\n", "").content, "");
}

TEST(ReplaceTextTest, LfFilesTakeCrlfText) {
  EXPECT_EQ(ReplaceText("a\nb\n", "a\r\nb", "x\r\ny").content, "x\ny\n");
}

TEST(ReplaceTextTest, InMixedFilesThePlaceDecides) {
  EXPECT_EQ(ReplaceText("a\r\nb\r\nc\r\nd\ne\n", "d\ne", "x\ny").content, "a\r\nb\r\nc\r\nx\ny\n");
  EXPECT_EQ(ReplaceText("d\ne\nf\na\r\nb\n", "a\nb", "x\ny").content, "d\ne\nf\nx\r\ny\n");
}

TEST(ReplaceTextTest, LoneCarriageReturnsStay) {
  EXPECT_EQ(ReplaceText("a\rb\r\nc", "b\nc", "x\ny").content, "a\rx\r\ny");
  EXPECT_EQ(ReplaceText("a\nb", "b", "x\r").content, "a\nx\r");
}

}  // namespace
}  // namespace stile

#include "tools/resolve/lsp_text.h"

#include <string>

#include "gtest/gtest.h"

namespace stile {
namespace {

TEST(LspLinesTest, CountsInTheUnitThatWasAgreed) {
  const std::string text = "aé😀b\r\nc\rd\n";
  const LspLines utf8(text, PositionEncoding::kUtf8);
  const LspLines utf16(text, PositionEncoding::kUtf16);
  const size_t b = text.find('b');
  EXPECT_EQ(utf8.PositionOf(b), (Json{{"line", 0}, {"character", 7}}));
  EXPECT_EQ(utf16.PositionOf(b), (Json{{"line", 0}, {"character", 4}}));
  for (const LspLines* lines : {&utf8, &utf16}) {
    for (const char c : {'a', 'b', 'c', 'd'}) {
      EXPECT_EQ(lines->OffsetOf(lines->PositionOf(text.find(c))).value_or(99), text.find(c)) << c;
    }
    EXPECT_EQ(lines->OffsetOf(lines->PositionOf(text.size())).value_or(99), text.size());
  }
}

TEST(LspLinesTest, TakesACharacterBehindTheEndForTheEnd) {
  const LspLines lines("ab\ncd", PositionEncoding::kUtf16);
  EXPECT_EQ(lines.OffsetOf({{"line", 0}, {"character", 99}}).value_or(0), 2);
  EXPECT_EQ(lines.OffsetOf({{"line", 2}, {"character", 0}}).value_or(0), 5);
}

TEST(LspLinesTest, RefusesPlacesThatTheTextDoesNotHave) {
  const std::string text = "é😀";
  const LspLines utf8(text, PositionEncoding::kUtf8);
  const LspLines utf16(text, PositionEncoding::kUtf16);
  EXPECT_FALSE(utf8.OffsetOf({{"line", 0}, {"character", 1}}).ok());
  EXPECT_FALSE(utf16.OffsetOf({{"line", 0}, {"character", 2}}).ok());
  for (const Json& position :
       {Json{{"line", 1}, {"character", 1}}, Json{{"line", -1}, {"character", 0}},
        Json{{"line", 0}, {"character", -1}}, Json{{"line", "0"}, {"character", 0}}, Json()}) {
    EXPECT_FALSE(utf16.OffsetOf(position).ok()) << position;
  }
}

}  // namespace
}  // namespace stile

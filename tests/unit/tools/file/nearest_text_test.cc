#include "tools/file/nearest_text.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::HasSubstr;

TEST(NearestTextTest, FindsTheWindowThatDiffersInOneLine) {
  const auto nearest = FindNearestText("zero\nint a = 1;\nint b = 2;\nint c = 3;\n",
                                       "int a = 1;\nint b = 22;\nint c = 3;\n");
  ASSERT_TRUE(nearest.has_value());
  EXPECT_EQ(nearest->first_line, 2u);
  EXPECT_EQ(nearest->last_line, 4u);
  EXPECT_THAT(nearest->hint,
              HasSubstr("line 3: the file has `int b = 2;`, oldText has `int b = 22;`"));
}

TEST(NearestTextTest, FindsALineThatIsNowhereEqual) {
  const auto nearest = FindNearestText("alpha\nbeta\nreturn computeTotal(order, 3);\ngamma\n",
                                       "return calculateTotal(order, 4);");
  ASSERT_TRUE(nearest.has_value());
  EXPECT_EQ(nearest->first_line, 3u);
}

TEST(NearestTextTest, NamesUsualKindsOfDifference) {
  EXPECT_THAT(FindNearestText("\tfoo(bar)\n", "  foo(bar)\n")->hint,
              HasSubstr("Only the indentation"));
  EXPECT_THAT(FindNearestText("foo(a, b)\n", "foo(a,b)\n")->hint, HasSubstr("Only blanks"));
  EXPECT_THAT(FindNearestText("foo(bar)  \n", "foo(bar)\nx")->hint, HasSubstr("First difference"));
  EXPECT_THAT(FindNearestText("FooBar(x)\n", "foobar(x)\n")->hint,
              HasSubstr("upper and lower case"));
}

TEST(NearestTextTest, SaysNothingWhereNothingIsLikeIt) {
  EXPECT_FALSE(FindNearestText("alpha\nbeta\n", "0123456789").has_value());
  EXPECT_FALSE(FindNearestText("", "x").has_value());
  EXPECT_FALSE(FindNearestText("x", "\n\n").has_value());
}

TEST(NearestTextTest, HostileSizesAreBounded) {
  std::string text;
  while (text.size() < (10u << 20))
    absl::StrAppend(&text, "  return value_", text.size() % 977, ";\n");
  EXPECT_TRUE(FindNearestText(text, "  return value_3000;\n  return value_x;\n").has_value());
  FindNearestText(std::string(10 << 20, 'a'), std::string(1 << 20, 'b'));
  FindNearestText(std::string(10 << 20, 'a'), std::string(1 << 20, 'a') + "b");
  FindNearestText(std::string(10 << 20, '\n'), std::string(1 << 20, '\n') + "b");
  FindNearestText("\xff\xfe\n\x80\n", "\xff\xfd");
}

}  // namespace
}  // namespace stile

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/base/json.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

TEST(ParseJson, ANulByteIsNotTheEnd) {
  const std::string text("{\"a\":1}\0{}", 10);
  for (const auto& parsed : {ParseJson(text), ParseJsonStrict(text)}) {
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("NUL byte"));
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("line 1, column 8"));
  }
}

TEST(ParseJsonStrict, RefusesAKeyThatIsThereTwice) {
  EXPECT_THAT(std::string(ParseJsonStrict(R"({"x": [{"a": 1, "a": 1}]})").status().message()),
              HasSubstr("the key \"a\" is there twice"));
  // The same key in different words.
  EXPECT_FALSE(ParseJsonStrict(R"({"a": 1, "\u0061": 2})").ok());
  const auto nested = ParseJsonStrict(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})");
  ASSERT_TRUE(nested.ok()) << nested.status();
  EXPECT_EQ((*nested)["b"][1]["a"], 2);
}

TEST(ParseJsonStrict, RefusesAByteOrderMarkAndTrailingText) {
  EXPECT_FALSE(ParseJsonStrict("\xEF\xBB\xBF{}").ok());
  EXPECT_FALSE(ParseJsonStrict("{} {}").ok());
  EXPECT_TRUE(ParseJsonStrict(" {} \n").ok());
}

}  // namespace
}  // namespace stile

#include "runtime/base/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using ::testing::ElementsAre;

TEST(SplitShellWords, FollowsTheQuotesOfAShell) {
  EXPECT_THAT(*SplitShellWords("g++  -DA=\"x y\" 'b\\c' d\\ e \"\\\"\" ''"),
              ElementsAre("g++", "-DA=x y", "b\\c", "d e", "\"", ""));
  EXPECT_FALSE(SplitShellWords("a 'b").ok());
}

}  // namespace
}  // namespace stile

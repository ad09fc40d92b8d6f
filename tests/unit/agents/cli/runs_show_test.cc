#include "agents/cli/runs_show.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ColorDiffTest, ControlCharactersAreHarmless) {
  const std::string text = ColorDiff("+a\x1b[2J\n", {true, true, 80});
  EXPECT_EQ(text, "\x1b[32m+a^[[2J\x1b[0m\n");
  EXPECT_THAT(ColorDiff("+a\n", {true, false, 80}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace stile

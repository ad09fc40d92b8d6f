#include "runtime/agent_loop/repetition.h"

#include <gtest/gtest.h>

namespace stile {
namespace {

TEST(RepetitionTest, DurationsMakeNoDifference) {
  RepetitionDetector detector;
  const Json none = Json::object();
  const auto record = [&](absl::string_view text) {
    return detector.Record("code.validate", none, text, "root");
  };
  EXPECT_EQ(record("fail: 1 error (0.7 s)\n{\"durationMs\":696}"), 1);
  EXPECT_EQ(record("fail: 1 error (0.3 s)\n{\"durationMs\":31}"), 2);
  EXPECT_EQ(record("fail: 1 error (12 s)\n{\"durationMs\":12000}"), 3);
  EXPECT_EQ(record("fail: 2 errors (0.3 s)\n{\"durationMs\":31}"), 1);
  EXPECT_EQ(record("1 passed in 0.12s"), 1);
  EXPECT_EQ(record("1 passed in 3.04s"), 2);
  EXPECT_EQ(record("2 passed in 3.04s"), 1);
}

TEST(RepetitionTest, OtherNumbersMakeADifference) {
  RepetitionDetector detector;
  const Json none = Json::object();
  for (const char* text : {"line 1", "line 2", "3 shapes", "4 shapes", "v1.2", "v1.3", "5", "6"}) {
    EXPECT_EQ(detector.Record("shell.execute", none, text, "root"), 1) << text;
  }
}

}  // namespace
}  // namespace stile

#include "runtime/coverage/file_stamp.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/workspace/file_time.h"
#include "tests/support/gate_world.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using Kind = Judgement::Kind;

TEST(FileStampTest, WhatIsYoungIsComparedByContent) {
  const TempDir dir;
  dir.Write("a", "1");
  const FileStamp stamp = StampOf(dir.Path("a"), SystemClock()->Now());
  EXPECT_TRUE(stamp.is_young);
  dir.Write("a", "2");
  EXPECT_FALSE(IsUnchanged(dir.Path("a"), stamp));
  dir.Write("a", "1");
  EXPECT_TRUE(IsUnchanged(dir.Path("a"), stamp));
  EXPECT_FALSE(IsUnchanged(dir.Path("b"), stamp));
}

TEST(FileStampTest, WhatCannotBeReadIsComparedByItsStat) {
  const TempDir dir;
  dir.Write("big", "");
  ASSERT_EQ(truncate(dir.Path("big").c_str(), off_t{65} << 20), 0);
  const FileStamp stamp = StampOf(dir.Path("big"), SystemClock()->Now());
  EXPECT_TRUE(IsUnchanged(dir.Path("big"), stamp));
  SystemClock()->Sleep(absl::Milliseconds(20), nullptr);
  const int file = open(dir.Path("big").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(pwrite(file, "x", 1, 0), 1);
  close(file);
  EXPECT_FALSE(IsUnchanged(dir.Path("big"), stamp));
}

TEST(FileTimeTest, CoarseStampsAreYoungForLonger) {
  constexpr int64_t kSecond = 1'000'000'000;
  EXPECT_TRUE(SafelyBefore(10 * kSecond + 1, 11 * kSecond));
  EXPECT_FALSE(SafelyBefore(10 * kSecond + 1, 10 * kSecond + 2));
  EXPECT_FALSE(SafelyBefore(10 * kSecond, 11 * kSecond));
  EXPECT_TRUE(SafelyBefore(10 * kSecond, 13 * kSecond));
}

// What a validator reads besides the inputs of its target.
class AlsoReadTest : public testing::Test {
 protected:
  AlsoReadTest() {
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "fine");
  }
  GateWorld world;
};

TEST_F(AlsoReadTest, AnIgnoredFileThatThePassReadIsComparedAtTheEnd) {
  world.workspace.Write(".gitignore", "gen/\n");
  world.workspace.Write("gen/x.h", "1");
  world.Start();
  world.validator->files_read = {"app/main.word", "gen/x.h"};
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  world.workspace.Write("gen/x.h", "2");
  const int runs = world.validator->runs;
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted) << "no model has edited it: no turn is needed";
  EXPECT_GT(world.validator->runs, runs);
  EXPECT_TRUE(world.validator->last_cold);
}

TEST_F(AlsoReadTest, AnIgnoredFileThatChangesWhileItIsReadIsNoPass) {
  world.workspace.Write(".gitignore", "gen/\n");
  world.workspace.Write("gen/x.h", "0");
  world.Start();
  world.validator->files_read = {"app/main.word", "gen/x.h"};
  world.workspace.Write("app/main.word", "finer");
  SystemClock()->Sleep(absl::Milliseconds(100), nullptr);  // gen/x.h is not young any more
  int times = 0;
  world.validator->during_run = [&] { world.workspace.Write("gen/x.h", absl::StrCat(++times)); };
  EXPECT_EQ(world.Validate().verdict, Verdict::kChangedDuringRun);
  EXPECT_EQ(times, 2);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  // Generated in the same way each time, it is what the second validation found there.
  world.validator->during_run = [&] { world.workspace.Write("gen/x.h", "same"); };
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_TRUE(world.validator->last_cold);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

}  // namespace
}  // namespace stile

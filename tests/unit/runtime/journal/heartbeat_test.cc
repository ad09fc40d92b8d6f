#include "runtime/journal/heartbeat.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "gtest/gtest.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

RunPaths PathsIn(const TempDir& folder) {
  RunPaths run;
  run.alive = folder.Path("alive");
  return run;
}

TEST(HeartbeatTest, WithoutOneNoTimeIsKnown) {
  const TempDir folder;
  EXPECT_FALSE(LastAlive(PathsIn(folder)).has_value());
}

TEST(HeartbeatTest, WhatIsWrittenWhileItLivesIsNoLaterThanTheTime) {
  const TempDir folder;
  const RunPaths run = PathsIn(folder);
  {
    const Heartbeat heartbeat(run);
    ASSERT_TRUE(WriteFileAtomically(DiskFileSystem(), folder.Path("file"), "x", 0600).ok());
  }
  struct stat info {};
  ASSERT_EQ(stat(folder.Path("file").c_str(), &info), 0);
  ASSERT_TRUE(LastAlive(run).has_value());
  EXPECT_LE(absl::TimeFromTimespec(info.st_ctim), *LastAlive(run));
}

TEST(HeartbeatTest, ItBeginsAnewWhereOneHadBeen) {
  const TempDir folder;
  const RunPaths run = PathsIn(folder);
  { const Heartbeat first(run); }
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, run.alive.c_str(), old, 0), 0);
  EXPECT_LT(*LastAlive(run), absl::FromUnixSeconds(2000));
  { const Heartbeat second(run); }
  EXPECT_GT(*LastAlive(run), absl::FromUnixSeconds(1'700'000'000));
}

TEST(HeartbeatTest, AFolderThatIsGoneIsNoError) {
  RunPaths run;
  run.alive = "/nonexistent/alive";
  { const Heartbeat heartbeat(run); }
  EXPECT_FALSE(LastAlive(run).has_value());
}

}  // namespace
}  // namespace stile

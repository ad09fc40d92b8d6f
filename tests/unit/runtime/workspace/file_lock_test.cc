#include "runtime/workspace/file_lock.h"

#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

TEST(FileLockTest, WaitingEndsWhenTheTimeIsOver) {
  const TempDir dir;
  FakeClock clock;
  FileLock held(dir.Path("lock"), FileLock::Wait::kNo);
  ASSERT_TRUE(held.held());
  const absl::Duration began = clock.Monotonic();
  const auto refused = AwaitFileLock(dir.Path("lock"), absl::Minutes(29), &clock, nullptr);
  EXPECT_TRUE(absl::IsDeadlineExceeded(refused.status()));
  EXPECT_LT(clock.Monotonic() - began, absl::Minutes(30));
  held = FileLock();
  EXPECT_TRUE(AwaitFileLock(dir.Path("lock"), absl::ZeroDuration(), &clock, nullptr).ok());
}

TEST(FileLockTest, WaitingEndsWhenItIsCancelled) {
  const TempDir dir;
  FakeClock clock;
  const FileLock held(dir.Path("lock"), FileLock::Wait::kNo);
  Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_TRUE(absl::IsCancelled(
      AwaitFileLock(dir.Path("lock"), absl::Hours(1), &clock, &cancellation).status()));
}

TEST(FileLockTest, ALockThatCannotBeMadeIsNotWaitedFor) {
  const TempDir dir;
  FakeClock clock;
  EXPECT_TRUE(absl::IsUnavailable(
      AwaitFileLock(dir.Path("none/lock"), absl::Hours(1), &clock, nullptr).status()));
}

}  // namespace
}  // namespace stile

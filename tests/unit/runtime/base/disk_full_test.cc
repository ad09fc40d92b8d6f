#include "runtime/base/disk_full.h"

#include <cerrno>

#include "gtest/gtest.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

TEST(DiskFullTest, IsKnownBehindContext) {
  for (const int error : {ENOSPC, EDQUOT}) {
    const absl::Status full = ErrnoStatus(error, "write", "/f");
    EXPECT_TRUE(IsDiskFull(full)) << error;
    EXPECT_TRUE(IsDiskFull(WithContext(WithContext(full, "a"), "b"))) << error;
  }
  EXPECT_FALSE(IsDiskFull(absl::OkStatus()));
  EXPECT_FALSE(IsDiskFull(WithContext(ErrnoStatus(EIO, "write", "/f"), "a")));
  // Also of limits that have nothing to do with a disk.
  EXPECT_FALSE(IsDiskFull(absl::ResourceExhaustedError("too many steps")));
}

TEST(DiskFullTest, TheTextNamesTheCommandThatGoesOn) {
  const absl::Status full = ErrnoStatus(ENOSPC, "write journal", "/f");
  EXPECT_EQ(FailureText(full, "r1"),
            "cannot write journal /f: No space left on device; once there is room, `stile runs "
            "resume r1` goes on");
  EXPECT_EQ(FailureText(WithContext(full, "lint"), "r1.2.1"),
            "lint: cannot write journal /f: No space left on device; once there is room, `stile "
            "runs resume r1` goes on");
  EXPECT_EQ(FailureText(ErrnoStatus(EIO, "write journal", "/f"), "r1"),
            "cannot write journal /f: Input/output error");
}

}  // namespace
}  // namespace stile

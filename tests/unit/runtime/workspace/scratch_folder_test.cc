#include "runtime/workspace/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/workspace/file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ScratchFolderTest, WhatKilledProcessesLeftGoesAndWhatIsInUseStays) {
  TempDir dir;
  dir.Write("scratch-0123456789abcdef/copy/a.py", "");
  dir.Write("scratch-0123456789abcdef.lock", "");
  dir.Write("scratch-fedcba9876543210.lock", "");  // killed before its folder was made
  {
    const ScratchFolder first(dir.path());
    EXPECT_THAT(*ListDirectory(dir.path()), SizeIs(1));
    const ScratchFolder second(dir.path());
    EXPECT_THAT(*ListDirectory(dir.path()), SizeIs(2));
  }
  EXPECT_THAT(*ListDirectory(dir.path()), IsEmpty());
}

}  // namespace
}  // namespace stile

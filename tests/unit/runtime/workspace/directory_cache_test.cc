#include "runtime/workspace/directory_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/workspace/workspace_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DirectoryCacheTest : public ::testing::Test {
 protected:
  DirectoryCacheTest() { folder_ = dir_.Path("folder"); }

  void SetUp() override {
    ASSERT_EQ(mkdir(folder_.c_str(), 0755), 0);
    Touch("a");
  }

  void Touch(const std::string& name) {
    ASSERT_TRUE(DiskFileSystem()->WriteFile(JoinPath(folder_, name), "x", 0644, false).ok());
  }

  std::vector<std::string> Names() {
    const auto entries = cache_.List(folder_);
    std::vector<std::string> names;
    if (!entries.ok()) return names;
    for (const DirectoryEntry& entry : **entries) names.push_back(entry.name);
    return names;
  }

  TempDir dir_;
  std::string folder_;
  // Stamps of the disk are those of the machine; a minute later they are all old.
  FakeClock clock_{absl::Now() + absl::Minutes(1)};
  DirectoryCache cache_{&clock_};
};

TEST_F(DirectoryCacheTest, ReadsAFolderOnce) {
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(cache_.folders_read(), 1u);
}

TEST_F(DirectoryCacheTest, SeesEntriesThatComeGoAndGetAnotherKind) {
  EXPECT_THAT(Names(), ElementsAre("a"));
  usleep(20'000);  // longer than a tick of the clock that stamps come from
  Touch("b");
  EXPECT_THAT(Names(), ElementsAre("a", "b"));
  usleep(20'000);
  ASSERT_EQ(unlink(JoinPath(folder_, "a").c_str()), 0);
  EXPECT_THAT(Names(), ElementsAre("b"));
  usleep(20'000);
  ASSERT_EQ(unlink(JoinPath(folder_, "b").c_str()), 0);
  ASSERT_EQ(mkdir(JoinPath(folder_, "b").c_str(), 0755), 0);
  const auto entries = cache_.List(folder_);
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ((*entries)->size(), 1u);
  EXPECT_TRUE((**entries)[0].is_folder);
}

TEST_F(DirectoryCacheTest, ReadsAgainWhatChangedJustBefore) {
  FakeClock clock(absl::Now());  // a change in this tick could leave the stamp as it is
  DirectoryCache cache(&clock);
  ASSERT_TRUE(cache.List(folder_).ok());
  ASSERT_TRUE(cache.List(folder_).ok());
  EXPECT_EQ(cache.folders_read(), 2u);
}

TEST_F(DirectoryCacheTest, ForgetsAFolderThatIsGone) {
  EXPECT_THAT(Names(), ElementsAre("a"));
  ASSERT_TRUE(RemoveTree(folder_).ok());
  EXPECT_TRUE(absl::IsNotFound(cache_.List(folder_).status()));
  ASSERT_EQ(mkdir(folder_.c_str(), 0755), 0);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DirectoryCacheTest, FollowsALinkWithoutKeepingItsEntries) {
  const std::string link = dir_.Path("link");
  ASSERT_EQ(symlink(folder_.c_str(), link.c_str()), 0);
  ASSERT_TRUE(cache_.List(link).ok());
  EXPECT_EQ((*cache_.List(link))->size(), 1u);
  EXPECT_EQ(cache_.folders_read(), 2u);
}

}  // namespace
}  // namespace stile

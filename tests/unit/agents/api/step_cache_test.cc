#include "agents/api/step_cache.h"

#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

class StepCacheTest : public testing::Test {
 protected:
  TempDir folder_;
  FakeClock clock_;
  StepCache cache_{folder_.path() + "/cache", &clock_};
};

TEST_F(StepCacheTest, KeepsRepliesAndWhatBelongsToThemForAWhile) {
  folder_.Write("artifacts/out/sub/a", "1");
  EXPECT_FALSE(cache_.Find("k", folder_.Path("artifacts")).has_value());
  ASSERT_TRUE(
      cache_.Keep("k", absl::Minutes(5), {{"n", 1}}, folder_.Path("artifacts"), {"out"}).ok());
  folder_.Write("artifacts/out/sub/a", "2");
  folder_.Write("artifacts/out/b", "2");
  const auto reply = cache_.Find("k", folder_.Path("artifacts"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->output, Json({{"n", 1}}));
  EXPECT_EQ(folder_.Read("artifacts/out/sub/a"), "1");
  EXPECT_FALSE(folder_.Exists("artifacts/out/b"));
  EXPECT_FALSE(cache_.Find("other", folder_.Path("artifacts")).has_value());
  clock_.Advance(absl::Minutes(5));
  EXPECT_FALSE(cache_.Find("k", folder_.Path("artifacts")).has_value());
  EXPECT_THAT(ListDirectory(folder_.Path("cache")).value(), testing::IsEmpty());
}

TEST_F(StepCacheTest, WhatCannotBeKeptLeavesNothing) {
  folder_.Write("artifacts/a", "1");
  ASSERT_EQ(symlink("/etc", folder_.Path("artifacts/link").c_str()), 0);
  EXPECT_FALSE(cache_.Keep("k", absl::Minutes(5), 1, folder_.Path("artifacts"), {"link"}).ok());
  EXPECT_FALSE(cache_.Keep("k", absl::Minutes(5), 1, folder_.Path("artifacts"), {"gone"}).ok());
  EXPECT_THAT(ListDirectory(folder_.Path("cache")).value(), testing::IsEmpty());
  ASSERT_TRUE(cache_.Keep("k", absl::Minutes(5), 1, folder_.Path("artifacts"), {"a"}).ok());
  folder_.Write("cache/k/reply.json", "{");
  EXPECT_FALSE(cache_.Find("k", folder_.Path("artifacts")).has_value());
}

}  // namespace
}  // namespace stile

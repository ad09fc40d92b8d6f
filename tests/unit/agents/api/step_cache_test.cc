#include "agents/api/step_cache.h"

#include <sys/stat.h>
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
  ASSERT_EQ(chmod(folder_.Path("artifacts/out/sub").c_str(), 0777), 0);
  ASSERT_TRUE(
      cache_.Keep("k", absl::Minutes(5), {{"n", 1}}, folder_.Path("artifacts"), {"out"}).ok());
  folder_.Write("artifacts/out/sub/a", "2");
  folder_.Write("artifacts/out/b", "2");
  const auto reply = cache_.Find("k", folder_.Path("artifacts"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->output, Json({{"n", 1}}));
  EXPECT_EQ(folder_.Read("artifacts/out/sub/a"), "1");
  struct stat info {};
  ASSERT_EQ(stat(folder_.Path("artifacts/out/sub").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0777U);
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

class FingerprintTest : public testing::Test {
 protected:
  std::string Now(const std::string& command = "check a") {
    IgnoreRules rules = IgnoreRules::Load(folder_.path(), {"ignored/"}, {}).value();
    SnapshotTaker taker(folder_.path(), std::move(rules), SystemClock());
    return FingerprintOf(folder_.path(), taker.Take(Snapshot()).value(), {command},
                         {{"PATH", elsewhere_.path()}});
  }

  TempDir folder_;
  TempDir elsewhere_;
};

TEST_F(FingerprintTest, ChangesWithEverythingThatACommandCouldRead) {
  folder_.Write("a", "1");
  folder_.Write("ignored/b", "1");
  folder_.Write(".git/index", "1");
  elsewhere_.Write("check", "1");
  elsewhere_.Write("other", "1");
  ASSERT_EQ(chmod(elsewhere_.Path("check").c_str(), 0755), 0);
  ASSERT_EQ(symlink(elsewhere_.Path("other").c_str(), folder_.Path("link").c_str()), 0);
  std::string before = Now();
  EXPECT_EQ(Now(), before);
  folder_.Write(".git/index", "22");
  EXPECT_EQ(Now(), before);
  // The same content, written again.
  folder_.Write("a", "1");
  EXPECT_EQ(Now(), before);
  const auto expect_change = [&](const char* what) {
    const std::string after = Now();
    EXPECT_NE(after, before) << what;
    before = after;
  };
  folder_.Write("a", "2");
  expect_change("content");
  folder_.Write("ignored/b", "22");
  expect_change("an ignored file");
  folder_.Write("ignored/c", "1");
  expect_change("another ignored file");
  elsewhere_.Write("other", "22");
  expect_change("what a link leads to");
  elsewhere_.Write("check", "22");
  expect_change("the program");
  elsewhere_.Write("script", "1");
  const std::string command = "x='sh " + elsewhere_.Path("script") + "'";
  const std::string with = Now(command);
  elsewhere_.Write("script", "22");
  EXPECT_NE(Now(command), with);
}

}  // namespace
}  // namespace stile

#include "agents/mcp/resource_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

class ResourceWatchTest : public ::testing::Test {
 protected:
  ResourceWatchTest()
      : workspaces_({dir_.path(), {}, {{"STILE_STATE_DIR", state_.path()}}, {}, false, "0"}),
        watch_(std::make_unique<ResourceWatch>(&workspaces_)) {}

  // A run of the folder with an empty beginning; its URI.
  std::string Run(const std::string& id) {
    RunStore store(DiskFileSystem(), state_.path());
    const auto run = store.Create(id);
    EXPECT_TRUE(run.ok()) << run.status();
    Append(id, "run_started", absl::StrCat(R"("task": "t", "workspace": ")", dir_.path(), "\""));
    return absl::StrCat("stile://runs/", id);
  }
  void Append(const std::string& id, const std::string& type, const std::string& fields) {
    const std::string path = absl::StrCat("runs/", id, "/journal.jsonl");
    const auto before = DiskFileSystem()->ReadFile(state_.Path(path), 1 << 20);
    state_.Write(path, absl::StrCat(before.value_or(""), R"({"type": ")", type, R"(", "seq": )",
                                    ++seq_, R"(, "time": "2026-01-01T00:00:00.000Z", "run_id": ")",
                                    id, R"(", )", fields, "}\n"));
  }
  absl::Status Add(const std::shared_ptr<void>& owner, const std::string& uri,
                   std::atomic<int>* calls) {
    return watch_->Add(owner, uri, [calls] { ++*calls; });
  }
  // Whether the count becomes `wanted` within a time that no check needs.
  static bool Becomes(const std::atomic<int>& count, int wanted) {
    for (int i = 0; i < 600 && count != wanted; ++i) absl::SleepFor(absl::Milliseconds(50));
    return count == wanted;
  }

  TempDir dir_;
  TempDir state_;
  int seq_ = 0;
  McpWorkspaces workspaces_;
  std::unique_ptr<ResourceWatch> watch_;
  const std::shared_ptr<void> owner_ = std::make_shared<int>(0);
};

TEST_F(ResourceWatchTest, TellsEachChangeAndTheRemovalOnce) {
  const std::string uri = Run("a-1");
  Run("a-1.1");  // a step, which the prefix would mean after the removal
  std::atomic<int> calls = 0;
  ASSERT_TRUE(Add(owner_, uri, &calls).ok());
  Append("a-1", "turn_started", R"("turn": 1)");
  EXPECT_TRUE(Becomes(calls, 1));
  ASSERT_TRUE(RemoveTree(state_.Path("runs/a-1")).ok());
  EXPECT_TRUE(Becomes(calls, 2));
  Append("a-1.1", "turn_started", R"("turn": 1)");
  std::atomic<int> others = 0;
  ASSERT_TRUE(Add(owner_, "stile://runs/a-1.1", &others).ok());
  Append("a-1.1", "turn_started", R"("turn": 2)");
  EXPECT_TRUE(Becomes(others, 1));  // so that a check has passed
  EXPECT_EQ(calls, 2);
}

TEST_F(ResourceWatchTest, TellsNothingToAnOwnerThatIsGoneOrUnsubscribed) {
  const std::string uri = Run("a-1");
  std::atomic<int> gone = 0;
  std::atomic<int> removed = 0;
  std::atomic<int> kept = 0;
  auto owner = std::make_shared<int>(0);
  ASSERT_TRUE(Add(owner, uri, &gone).ok());
  const auto other = std::make_shared<int>(0);
  ASSERT_TRUE(Add(other, uri, &removed).ok());
  watch_->Remove(other, uri);
  ASSERT_TRUE(Add(owner_, uri, &kept).ok());
  owner.reset();
  Append("a-1", "turn_started", R"("turn": 1)");
  EXPECT_TRUE(Becomes(kept, 1));
  EXPECT_EQ(gone, 0);
  EXPECT_EQ(removed, 0);
}

TEST_F(ResourceWatchTest, ASecondSubscriptionReplacesTheFirst) {
  const std::string uri = Run("a-1");
  std::atomic<int> first = 0;
  std::atomic<int> second = 0;
  ASSERT_TRUE(Add(owner_, uri, &first).ok());
  ASSERT_TRUE(Add(owner_, uri, &second).ok());
  Append("a-1", "turn_started", R"("turn": 1)");
  EXPECT_TRUE(Becomes(second, 1));
  EXPECT_EQ(first, 0);
}

TEST_F(ResourceWatchTest, HasALimitForEachOwnerAndForAll) {
  std::atomic<int> calls = 0;
  std::vector<std::shared_ptr<void>> owners;
  for (int i = 0; i < 100; ++i) Run(absl::StrCat("r-", i));
  for (int of = 0; of < 10; ++of) {
    owners.push_back(std::make_shared<int>(of));
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(Add(owners.back(), absl::StrCat("stile://runs/r-", i), &calls).ok()) << of << i;
    }
  }
  EXPECT_TRUE(absl::IsResourceExhausted(Add(owners[0], "stile://languages", &calls)));
  EXPECT_TRUE(absl::IsResourceExhausted(Add(owner_, "stile://languages", &calls)));
  owners.pop_back();
  EXPECT_TRUE(Add(owner_, "stile://languages", &calls).ok());
  EXPECT_TRUE(absl::IsNotFound(Add(owner_, "stile://runs/none", &calls)));
}

TEST_F(ResourceWatchTest, EndsWhileAChangeIsTold) {
  const std::string uri = Run("a-1");
  std::atomic<int> calls = 0;
  ASSERT_TRUE(watch_
                  ->Add(owner_, uri,
                        [&] {
                          ++calls;
                          absl::SleepFor(absl::Milliseconds(100));
                        })
                  .ok());
  Append("a-1", "turn_started", R"("turn": 1)");
  EXPECT_TRUE(Becomes(calls, 1));
  Append("a-1", "turn_started", R"("turn": 2)");
  watch_.reset();  // waits for the call that is under way
  const int told = calls;
  absl::SleepFor(absl::Milliseconds(700));  // more than a check takes to come
  EXPECT_EQ(calls, told);
}

}  // namespace
}  // namespace stile

#include "agents/mcp/tasks.h"

#include <thread>

#include "gtest/gtest.h"

namespace stile {
namespace {

std::string StatusOf(const McpTask& task, TaskProtocol era = TaskProtocol::kRequested) {
  return task.ToJson(era)["status"];
}

std::shared_ptr<McpTask> Started(McpTasks* tasks, absl::Duration ttl = absl::Hours(1)) {
  const auto task = tasks->Start("owner", ttl);
  EXPECT_TRUE(task.ok()) << task.status();
  return *task;
}

TEST(McpTaskTest, EndsOnce) {
  McpTasks tasks;
  const auto good = Started(&tasks);
  good->SetMessage("validating");
  EXPECT_EQ(good->ToJson(TaskProtocol::kRequested)["statusMessage"], "validating");
  good->End({{"isError", false}});
  EXPECT_EQ(StatusOf(*good), "completed");
  EXPECT_FALSE(good->Cancel());
  good->SetMessage("late");
  EXPECT_EQ(good->ToJson(TaskProtocol::kRequested)["statusMessage"], "validating");

  const auto cancelled = Started(&tasks);
  EXPECT_TRUE(cancelled->Cancel());
  EXPECT_TRUE(cancelled->cancellation()->cancelled());
  cancelled->End({{"isError", false}});
  EXPECT_EQ(StatusOf(*cancelled), "cancelled");
}

TEST(McpTaskTest, SaysOfAnErrorWhatTheEraSays) {
  McpTasks tasks;
  const auto task = Started(&tasks);
  task->End({{"isError", true}});
  EXPECT_EQ(StatusOf(*task), "failed");
  const Json json = task->ToJson(TaskProtocol::kExtension);
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["result"], Json({{"isError", true}}));
  EXPECT_EQ(json["ttlMs"], 3'600'000);
}

TEST(McpTaskTest, TellsThoseWhoWaitAndThoseWhoComeLater) {
  McpTasks tasks;
  const auto task = Started(&tasks);
  int told = 0;
  task->WhenEnded([&](const Json& result) { told += result == Json({{"n", 1}}) ? 1 : 0; });
  EXPECT_EQ(told, 0);
  std::thread([&] { task->End({{"n", 1}}); }).join();
  EXPECT_EQ(told, 1);
  task->WhenEnded([&](const Json& result) { told += result == Json({{"n", 1}}) ? 1 : 0; });
  EXPECT_EQ(told, 2);
}

TEST(McpTasksTest, ForgetsWhatHasEndedAndKeepsWhatWorks) {
  McpTasks tasks;
  const auto working = Started(&tasks, absl::ZeroDuration());
  const auto ended = Started(&tasks, -absl::Seconds(1));
  EXPECT_NE(tasks.Find(ended->id()), nullptr);
  ended->End(Json::object());
  EXPECT_EQ(tasks.Find(ended->id()), nullptr);
  EXPECT_EQ(tasks.Find(working->id()), working);
  EXPECT_EQ(tasks.Of("owner").size(), 1u);
  EXPECT_TRUE(tasks.Of("other").empty());
}

TEST(McpTasksTest, HasALimitForTasksThatWork) {
  McpTasks tasks;
  const auto first = Started(&tasks);
  while (tasks.Start("owner", absl::Hours(1)).ok()) {
  }
  EXPECT_EQ(tasks.Start("owner", absl::Hours(1)).status().code(),
            absl::StatusCode::kResourceExhausted);
  // The oldest that has ended makes room.
  first->End(Json::object());
  EXPECT_TRUE(tasks.Start("owner", absl::Hours(1)).ok());
  EXPECT_EQ(tasks.Find(first->id()), nullptr);
}

TEST(McpTasksTest, CancelsAllAlsoThoseThatBeginLater) {
  McpTasks tasks;
  const auto first = Started(&tasks);
  tasks.CancelAll();
  EXPECT_EQ(StatusOf(*first), "cancelled");
  EXPECT_EQ(StatusOf(*Started(&tasks)), "cancelled");
}

}  // namespace
}  // namespace stile

#include "agents/mcp/tasks.h"

#include <chrono>
#include <set>
#include <thread>
#include <vector>

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
  EXPECT_EQ(json["result"], Json({{"isError", true}, {"resultType", "complete"}}));
  EXPECT_EQ(json["ttlMs"], 3'600'000);
}

// Waits until the task shows a question; its key.
std::string QuestionOf(const McpTask& task) {
  for (;;) {
    const Json json = task.ToJson(TaskProtocol::kExtension);
    if (json["status"] == "input_required") return json["inputRequests"].begin().key();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(McpTaskTest, AsksOneQuestionAtATime) {
  McpTasks tasks;
  const auto task = Started(&tasks);
  std::vector<absl::StatusOr<Json>> answers(3, absl::UnknownError(""));
  std::vector<std::thread> steps;
  for (auto& answer : answers) {
    steps.emplace_back([&] { answer = task->Ask("elicitation/create", {{"message", "?"}}); });
  }
  std::set<std::string> keys;
  for (const char* action : {"accept", "decline", "error"}) {
    const std::string key = QuestionOf(*task);
    keys.insert(key);
    task->TakeAnswers({{"another", Json::object()}});
    EXPECT_EQ(StatusOf(*task, TaskProtocol::kExtension), "input_required");
    EXPECT_EQ(StatusOf(*task), "working");
    const Json error = {{"error", {{"code", -1}, {"message", "no"}}}};
    task->TakeAnswers({{key, std::string(action) == "error" ? error : Json{{"action", action}}}});
  }
  for (std::thread& step : steps) step.join();
  EXPECT_EQ(keys.size(), 3u);
  std::multiset<std::string> found;
  for (const auto& answer : answers) {
    found.insert(answer.ok() ? (*answer)["action"].get<std::string>()
                             : std::string(answer.status().message()));
  }
  EXPECT_EQ(found, (std::multiset<std::string>{"accept", "decline",
                                               "the user of the MCP host refused: no"}));
}

TEST(McpTaskTest, ACancelledTaskWaitsForNoAnswer) {
  McpTasks tasks;
  const auto task = Started(&tasks);
  absl::Status answer;
  std::thread step([&] { answer = task->Ask("elicitation/create", Json::object()).status(); });
  QuestionOf(*task);
  task->Cancel();
  step.join();
  EXPECT_TRUE(absl::IsCancelled(answer)) << answer;
  EXPECT_EQ(StatusOf(*task, TaskProtocol::kExtension), "cancelled");
  EXPECT_FALSE(task->ToJson(TaskProtocol::kExtension).contains("inputRequests"));
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

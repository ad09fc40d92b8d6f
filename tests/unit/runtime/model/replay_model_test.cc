#include "runtime/model/replay_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "runtime/model/recording_model.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTwoReplies[] =
    "{\"text\":\"one\"}\n\n"
    "{\"tool_calls\":[{\"name\":\"file.write\",\"arguments\":{\"path\":\"a\"}}]}\n";

TEST(ReplayModelTest, PlaysRepliesInOrderAndSaysHowManyThereWere) {
  TestFolder folder;
  auto model = NewReplayModel(folder.Write("c.jsonl", kTwoReplies), "", false);
  ASSERT_TRUE(model.ok()) << model.status();
  HearingListener listener;
  EXPECT_EQ((*model)->Complete({}, &listener, nullptr)->text, "one");
  EXPECT_EQ(listener.text, "one");
  const auto second = (*model)->Complete({}, &listener, nullptr);
  EXPECT_EQ(second->tool_calls[0].name, "file.write");
  EXPECT_NE(second->tool_calls[0].id, "");
  const absl::Status end = (*model)->Complete({}, &listener, nullptr).status();
  EXPECT_TRUE(absl::IsOutOfRange(end));
  EXPECT_THAT(std::string(end.message()), HasSubstr("it held 2 replies"));
}

TEST(ReplayModelTest, ModelsForOneFileShareItsPosition) {
  TestFolder folder;
  const std::string file = folder.Write("c.jsonl", kTwoReplies);
  EXPECT_EQ((*NewReplayModel(file, "", false))->Complete({}, {}, nullptr)->text, "one");
  EXPECT_EQ((*NewReplayModel(folder.Path("./c.jsonl"), "", false))
                ->Complete({}, {}, nullptr)
                ->tool_calls.size(),
            1u);
  EXPECT_TRUE(
      absl::IsOutOfRange((*NewReplayModel(file, "", false))->Complete({}, {}, nullptr).status()));
}

TEST(ReplayModelTest, ThreadsNeverGetTheSameReply) {
  TestFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) absl::StrAppend(&text, "{\"text\":\"", i, "\"}\n");
  const std::string file = folder.Write("c.jsonl", text);
  std::mutex mutex;
  std::multiset<std::string> seen;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto model = *NewReplayModel(file, "", false);
      for (int i = 0; i < 50; ++i) {
        const std::string reply = model->Complete({}, {}, nullptr)->text;
        const std::lock_guard<std::mutex> lock(mutex);
        seen.insert(reply);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 200u);
}

TEST(ReplayModelTest, AFolderPlaysTheFileOfTheStep) {
  TestFolder folder;
  folder.Write("api.jsonl", "{\"text\":\"api\"}\n");
  const std::string dir = folder.path();
  EXPECT_EQ((*NewReplayModel(dir, "api", false))->Complete({}, {}, nullptr)->text, "api");
  EXPECT_TRUE(absl::IsNotFound(NewReplayModel(dir, "web", false).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(NewReplayModel(dir, "", false).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(NewReplayModel(dir, "../api", false).status()));
}

TEST(ReplayModelTest, AMissingOrMalformedCassetteIsNamedWithItsLine) {
  TestFolder folder;
  const absl::Status missing = NewReplayModel(folder.Path("none"), "", false).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr(folder.Path("none")));
  const std::string file = folder.Write("bad.jsonl", "{\"text\":\"a\"}\n{\"text\":\n");
  const absl::Status bad = NewReplayModel(file, "", false).status();
  EXPECT_THAT(std::string(bad.message()), HasSubstr(file + ":2: "));
  const absl::Status shape =
      NewReplayModel(folder.Write("shape.jsonl", "{\"tool_calls\":[1]}"), "", false).status();
  EXPECT_THAT(std::string(shape.message()), HasSubstr("shape.jsonl:1: \"tool_calls[0]\""));
}

TEST(ReplayModelTest, ACancelledRunConsumesNothing) {
  TestFolder folder;
  auto model = *NewReplayModel(folder.Write("c.jsonl", kTwoReplies), "", false);
  Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_TRUE(absl::IsCancelled(model->Complete({}, {}, &cancellation).status()));
  EXPECT_EQ(model->Complete({}, {}, nullptr)->text, "one");
}

TEST(RecordingModelTest, WhatIsRecordedReplaysTheSameAndHoldsNoKey) {
  TestFolder folder;
  const std::string events =
      Sse({R"({"choices":[{"delta":{"content":"hi","tool_calls":[{"index":0,"id":"c1","function":)"
           R"({"name":"file_read","arguments":"{\"path\":"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\"}"}}]},)"
           R"("finish_reason":"tool_calls"}]})",
           "[DONE]"});
  FakeClock clock;
  FaultHttpServer server({StreamReply({events}), StreamReply({events})});
  ModelSettings settings;
  settings.model = "openai:m";
  settings.base_url = server.url();
  settings.record_file = folder.Path("rec.jsonl");
  auto live = *NewChatModel(settings, {{"OPENAI_API_KEY", kTestKey}}, &clock);
  ModelRequest first = SimpleRequest();
  const ModelReply recorded = *live->Complete(first, {}, nullptr);
  ModelRequest second = first;
  second.messages.push_back(ToMessage(recorded));
  second.messages.push_back(ResultMessage(recorded.tool_calls[0], "text of a"));
  const ModelReply recorded_too = *live->Complete(second, {}, nullptr);

  const std::string cassette = folder.Read("rec.jsonl");
  EXPECT_THAT(cassette, Not(HasSubstr(kTestKey)));
  EXPECT_THAT(cassette, HasSubstr("request_sha256"));
  EXPECT_EQ(std::filesystem::status(settings.record_file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  settings = {};
  settings.model = "replay:" + folder.Path("rec.jsonl");
  settings.replay_strict = true;
  auto replay = *NewChatModel(settings, {}, &clock);
  const auto again = replay->Complete(first, {}, nullptr);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ToJson(*again), ToJson(recorded));
  const auto again_too = replay->Complete(second, {}, nullptr);
  ASSERT_TRUE(again_too.ok()) << again_too.status();
  EXPECT_EQ(ToJson(*again_too), ToJson(recorded_too));
}

TEST(RecordingModelTest, StrictReplayRefusesADifferentRequestAndNamesTheLine) {
  TestFolder folder;
  const std::string source = folder.Write("source.jsonl", kTwoReplies);
  const std::string file = folder.Path("rec.jsonl");
  auto recorder = *NewRecordingModel(*NewReplayModel(source, "", false), file);
  ASSERT_TRUE(recorder->Complete(SimpleRequest(), {}, nullptr).ok());
  ModelRequest other = SimpleRequest();
  other.messages[1].text = "Do something else.";
  const absl::Status status =
      (*NewReplayModel(file, "", true))->Complete(other, {}, nullptr).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("rec.jsonl:1: the request differs"));
}

TEST(RecordingModelTest, AFileThatCannotBeWrittenIsAnErrorAtOnce) {
  TestFolder folder;
  auto inner = *NewReplayModel(folder.Write("c.jsonl", kTwoReplies), "", false);
  const absl::Status status =
      NewRecordingModel(std::move(inner), folder.Path("no/such/dir.jsonl")).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("no/such/dir.jsonl"));
}

}  // namespace
}  // namespace stile

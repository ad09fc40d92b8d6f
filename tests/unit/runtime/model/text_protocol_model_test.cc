#include "runtime/model/text_protocol_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

FaultReply Says(const std::string& text, const std::string& reason = "stop") {
  const Json json = {{"choices", {{{"message", {{"content", text}}}, {"finish_reason", reason}}}}};
  return JsonReply(200, DumpJson(json));
}

constexpr char kAction[] = "Thought: look\nAction: file.read\nAction Input: {\"path\": \"a\"}";

TEST(TextProtocolModelTest, DescribesToolsAndTurnsResultsIntoObservations) {
  ServedModel served(
      "openai:m", {Says(absl::StrCat(kAction, "\nObservation: invented")), Says(kAction)}, "text");
  EXPECT_FALSE(served.model->info().native_tools);
  ModelRequest request = SimpleRequest();
  const auto reply = served.Ask(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tool_calls.size(), 1u);
  EXPECT_EQ(reply->text, "look");
  EXPECT_EQ(reply->finish_reason, FinishReason::kToolCalls);
  EXPECT_NE(reply->tool_calls[0].id, "");
  request.messages.push_back(ToMessage(*reply));
  request.messages.push_back(ResultMessage(reply->tool_calls[0], "one"));
  request.messages.push_back(ResultMessage(reply->tool_calls[0], "two"));
  ASSERT_TRUE(served.Ask(request).ok());

  const Json messages = served.Body(1)["messages"];
  EXPECT_FALSE(served.Body(1).contains("tools"));
  const std::string system = messages[0]["content"];
  EXPECT_TRUE(absl::StartsWith(system, "Be brief.\n\n"));
  EXPECT_THAT(system, HasSubstr("- file.read {\"path\": string} – Reads a file."));
  EXPECT_THAT(system, HasSubstr("Action Input:"));
  EXPECT_EQ(messages[2], Json({{"role", "assistant"}, {"content", kAction}}));
  EXPECT_EQ(messages[3],
            Json({{"role", "user"}, {"content", "Observation: one\n\nObservation: two"}}));
  std::string prefix = DumpJson(served.Body(0)["messages"]);
  prefix.pop_back();
  EXPECT_TRUE(absl::StartsWith(DumpJson(messages), prefix));
}

TEST(TextProtocolModelTest, AReplyWithoutFormIsUnparsableAndGoesBackAsItWas) {
  ServedModel served("openai:m", {Says("I think I am done."), Says(kAction)}, "text");
  ModelRequest request = SimpleRequest();
  const auto reply = served.Ask(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->tool_calls.empty());
  EXPECT_THAT(reply->unparsable, HasSubstr("Final Answer:"));
  request.messages.push_back(ToMessage(*reply));
  request.messages.push_back(TextMessage(Role::kUser, reply->unparsable));
  ASSERT_TRUE(served.Ask(request).ok());
  EXPECT_EQ(served.Body(1)["messages"][2]["content"], "I think I am done.");
}

TEST(TextProtocolModelTest, TheJsonFormAsksForJson) {
  ServedModel served("openai:m",
                     {Says(R"({"thought":"t","action":"finish","action_input":{"answer":"a"}})")},
                     "json");
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->tool_calls[0].name, "finish");
  EXPECT_EQ(reply->tool_calls[0].arguments, Json({{"answer", "a"}}));
  EXPECT_THAT(served.Body(0)["messages"][0]["content"].get<std::string>(),
              HasSubstr("\"action_input\""));
}

TEST(TextProtocolModelTest, AnAnswerCutOffByTheLengthIsUnparsable) {
  ServedModel served("openai:m", {Says("Final Answer: half", "length")}, "text");
  const auto reply = served.Ask(SimpleRequest());
  EXPECT_TRUE(reply->tool_calls.empty());
  EXPECT_THAT(reply->unparsable, HasSubstr("cut off"));
}

TEST(TextProtocolModelTest, ACassetteCanHoldTextOrCalls) {
  TestFolder folder;
  FakeClock clock;
  ModelSettings settings;
  settings.protocol = "text";
  settings.model =
      "replay:" +
      folder.Write(
          "c.jsonl",
          absl::StrCat(
              "{\"text\":\"Action: file.read\\nAction Input: {}\"}\n",
              "{\"tool_calls\":[{\"name\":\"finish\",\"arguments\":{\"answer\":\"x\"}}]}\n"));
  auto model = *NewChatModel(settings, {}, &clock);
  EXPECT_EQ(model->Complete(SimpleRequest(), {}, nullptr)->tool_calls[0].name, "file.read");
  EXPECT_EQ(model->Complete(SimpleRequest(), {}, nullptr)->tool_calls[0].name, "finish");
}

TEST(TextProtocolModelTest, ARecordedTextConversationReplaysWithoutTheProtocol) {
  TestFolder folder;
  FakeClock clock;
  FaultHttpServer server({Says(kAction), Says("No form.")});
  ModelSettings settings;
  settings.model = "openai:m";
  settings.base_url = server.url();
  settings.protocol = "text";
  settings.record_file = folder.Path("rec.jsonl");
  auto live = *NewChatModel(settings, {}, &clock);
  const Json first = ToJson(*live->Complete(SimpleRequest(), {}, nullptr));
  const Json second = ToJson(*live->Complete(SimpleRequest(), {}, nullptr));
  ModelSettings replay;
  replay.model = "replay:" + settings.record_file;
  replay.replay_strict = true;
  auto model = *NewChatModel(replay, {}, &clock);
  EXPECT_EQ(ToJson(*model->Complete(SimpleRequest(), {}, nullptr)), first);
  EXPECT_EQ(ToJson(*model->Complete(SimpleRequest(), {}, nullptr)), second);
}

}  // namespace
}  // namespace stile

#include "runtime/model/ollama_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

constexpr char kDone[] =
    "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","
    "\"prompt_eval_count\":11,\"eval_count\":4}\n";
constexpr char kHello[] = "{\"message\":{\"content\":\"Hello\"},\"done\":false}\n";
constexpr char kCall[] =
    "{\"message\":{\"content\":\"\",\"thinking\":\"hm\",\"tool_calls\":[{\"function\":"
    "{\"name\":\"file_read\",\"arguments\":{\"path\":\"a\"}}}]},\"done\":false}\n";

FaultReply Lines(const std::string& text) {
  FaultReply reply;
  reply.headers = {{"Content-Type", "application/x-ndjson"}};
  reply.pieces = {text.substr(0, 9), text.substr(9)};
  return reply;
}

TEST(OllamaModelTest, SendsTheRequestThatTheApiWants) {
  ServedModel served("ollama:test-model:7b", {Lines(absl::StrCat(kHello, kDone))});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "Hello");
  EXPECT_EQ(served.listener.text, "Hello");
  EXPECT_EQ(reply->usage.input_tokens, 11);
  EXPECT_EQ(reply->usage.output_tokens, 4);
  EXPECT_EQ(served.server.requests().at(0).target, "/api/chat");
  EXPECT_EQ(served.Body(0), *ParseJson(R"({
    "model":"test-model:7b","stream":true,"options":{"num_ctx":65536},
    "messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Do it."}],
    "tools":[{"type":"function","function":{"name":"file_read","description":"Reads a file.",
      "parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}]})"));
}

TEST(OllamaModelTest, CallsAndThinkingMakeTheRoundTrip) {
  ServedModel served(
      "ollama:m", {Lines(absl::StrCat(kCall, kCall, kDone)), Lines(absl::StrCat(kHello, kDone))});
  ModelRequest request = SimpleRequest();
  const auto reply = served.Ask(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tool_calls.size(), 2u);
  EXPECT_EQ(reply->finish_reason, FinishReason::kToolCalls);
  EXPECT_NE(reply->tool_calls[0].id, reply->tool_calls[1].id);
  request.messages.push_back(ToMessage(*reply));
  for (const ToolCall& call : reply->tool_calls)
    request.messages.push_back(ResultMessage(call, "r"));
  ASSERT_TRUE(served.Ask(request).ok());
  const Json messages = served.Body(1)["messages"];
  EXPECT_EQ(messages[2]["thinking"], "hmhm");
  EXPECT_EQ(messages[2]["tool_calls"][0]["function"],
            *ParseJson(R"({"name":"file_read","arguments":{"path":"a"}})"));
  EXPECT_EQ(messages[3]["role"], "tool");
  EXPECT_EQ(messages[3]["tool_name"], "file_read");
  EXPECT_EQ(served.server.connection_count(), 1);
  std::string prefix = DumpJson(served.Body(0)["messages"]);
  prefix.pop_back();
  EXPECT_TRUE(absl::StartsWith(DumpJson(messages), prefix));
}

TEST(OllamaModelTest, AnErrorLineIsTriedAgain) {
  const std::string error = "{\"error\":\"runner crashed\"}\n";
  ServedModel served("ollama:m",
                     {Lines(absl::StrCat(kHello, error)), Lines(absl::StrCat(kHello, kDone))});
  EXPECT_TRUE(served.Ask(SimpleRequest()).ok());
  ServedModel late("ollama:m", {Lines(absl::StrCat(kCall, error)), Lines(kDone)});
  const auto reply = late.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->tool_calls.empty()) << "of the second reply alone";
}

TEST(OllamaModelTest, AStreamWithoutItsLastLineIsTriedAgain) {
  ServedModel served("ollama:m", {Lines(kHello), Lines(absl::StrCat(kHello, kDone))});
  EXPECT_EQ(served.Ask(SimpleRequest())->text, "Hello");
  EXPECT_EQ(served.server.requests().size(), 2u);
}

TEST(OllamaModelTest, AMissingModelSaysHowToGetIt) {
  ServedModel served("ollama:tiny", {JsonReply(404, R"({"error":"model 'tiny' not found"})")});
  EXPECT_THAT(std::string(served.Ask(SimpleRequest()).status().message()),
              HasSubstr("run: ollama pull tiny"));
}

TEST(OllamaModelTest, FallsBackToTextForAModelWithoutTools) {
  const std::string refusal = R"({"error":"registry.ollama.ai/library/m does not support tools"})";
  const std::string text =
      "{\"message\":{\"content\":\"Thought: look\\nAction: file.read\\nAction Input: "
      "{\\\"path\\\": \\\"a\\\"}\"},\"done\":true}\n";
  ServedModel served("ollama:m", {JsonReply(400, refusal), Lines(text), Lines(text)});
  EXPECT_TRUE(served.model->info().native_tools);
  for (int turn = 0; turn < 2; ++turn) {
    const auto reply = served.Ask(SimpleRequest());
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->tool_calls.size(), 1u);
    EXPECT_EQ(reply->tool_calls[0].arguments, Json({{"path", "a"}}));
  }
  EXPECT_FALSE(served.model->info().native_tools);
  EXPECT_EQ(served.server.requests().size(), 3u);  // refused once, then text at once
  EXPECT_FALSE(served.Body(1).contains("tools"));
  EXPECT_THAT(served.Body(1)["messages"][0]["content"].get<std::string>(),
              HasSubstr("- file.read {\"path\": string}"));
}

TEST(OllamaModelTest, WithTheNativeProtocolARefusalIsAnError) {
  ServedModel served("ollama:m", {JsonReply(400, R"({"error":"m does not support tools"})")},
                     "native");
  EXPECT_TRUE(absl::IsInvalidArgument(served.Ask(SimpleRequest()).status()));
}

}  // namespace
}  // namespace stile

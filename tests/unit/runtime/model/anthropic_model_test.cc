#include "runtime/model/anthropic_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kStart[] =
    R"({"type":"message_start","message":{"usage":{"input_tokens":10,"cache_creation_input_tokens":20,)"
    R"("cache_read_input_tokens":70,"output_tokens":1}}})";
constexpr char kToolStart[] =
    R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1",)"
    R"("name":"file_read","input":{}}})";
constexpr char kStop[] = R"({"type":"message_stop"})";

std::string BlockStop(int index) {
  return absl::StrCat(R"({"type":"content_block_stop","index":)", index, "}");
}

std::string End(const std::string& reason) {
  return absl::StrCat(R"({"type":"message_delta","delta":{"stop_reason":")", reason,
                      R"("},"usage":{"output_tokens":50}})");
}

// Events with their names, as the API sends them.
std::string Events(const std::vector<std::string>& events) {
  std::string text;
  for (const std::string& event : events) {
    absl::StrAppend(&text, "event: ", *JsonString(*ParseJson(event), "type"), "\ndata: ", event,
                    "\n\n");
  }
  return text;
}

std::vector<std::string> TextBlock(int index, const std::string& text) {
  return {absl::StrCat(R"({"type":"content_block_start","index":)", index,
                       R"(,"content_block":{"type":"text","text":""}})"),
          absl::StrCat(R"({"type":"content_block_delta","index":)", index,
                       R"(,"delta":{"type":"text_delta","text":")", text, "\"}}"),
          BlockStop(index)};
}

FaultReply TextReply(const std::string& text, const std::string& reason = "end_turn") {
  std::vector<std::string> events = {kStart, R"({"type":"ping"})"};
  for (const std::string& event : TextBlock(0, text)) events.push_back(event);
  events.push_back(End(reason));
  events.push_back(kStop);
  return StreamReply({Events(events)});
}

// Thinking with a signature, text, and a tool call in pieces.
std::vector<std::string> CallEvents() {
  std::vector<std::string> events = {
      kStart,
      R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}})",
      BlockStop(0)};
  for (const std::string& event : TextBlock(1, "Reading.")) events.push_back(event);
  for (
      const char* event :
      {kToolStart,
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\": "}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"a\"}"}})"}) {
    events.push_back(event);
  }
  events.push_back(BlockStop(2));
  events.push_back(End("tool_use"));
  events.push_back(kStop);
  return events;
}

Json WithoutCacheMarks(Json json) {
  if (json.is_object()) json.erase("cache_control");
  if (json.is_structured()) {
    for (Json& item : json) item = WithoutCacheMarks(std::move(item));
  }
  return json;
}

int CacheMarks(const Json& json) {
  int marks = json.is_object() && json.contains("cache_control") ? 1 : 0;
  if (json.is_structured()) {
    for (const Json& item : json) marks += CacheMarks(item);
  }
  return marks;
}

TEST(AnthropicModelTest, SendsTheRequestThatTheApiWants) {
  ServedModel served("anthropic:test-model", {TextReply("hi")});
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  const ReceivedRequest received = served.server.requests().at(0);
  EXPECT_EQ(received.target, "/v1/messages");
  EXPECT_EQ(received.headers.at("x-api-key"), kTestKey);
  EXPECT_EQ(received.headers.at("anthropic-version"), "2023-06-01");
  EXPECT_EQ(served.Body(0), *ParseJson(R"({
    "model":"test-model","stream":true,"max_tokens":16384,
    "system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
    "messages":[{"role":"user","content":[
        {"type":"text","text":"Do it.","cache_control":{"type":"ephemeral"}}]}],
    "tools":[{"name":"file_read","description":"Reads a file.","cache_control":{"type":"ephemeral"},
      "input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]})"));
}

TEST(AnthropicModelTest, CountsCachedAndWrittenInputAsInput) {
  ServedModel served("anthropic:claude-sonnet-4-5-20250929", {TextReply("hi")});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "hi");
  EXPECT_EQ(served.listener.text, "hi");
  EXPECT_EQ(reply->usage.input_tokens, 100);
  EXPECT_EQ(reply->usage.cached_tokens, 70);
  EXPECT_EQ(reply->usage.output_tokens, 50);
  EXPECT_NEAR(reply->usage.cost_usd, (10 * 3 + 20 * 3.75 + 70 * 0.3 + 50 * 15) / 1e6, 1e-12);
}

TEST(AnthropicModelTest, ThinkingAndItsSignatureGoBackUnchanged) {
  ServedModel served("anthropic:m", {StreamReply({Events(CallEvents())}), TextReply("done")});
  ModelRequest request = SimpleRequest();
  const auto reply = served.Ask(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "Reading.");
  ASSERT_EQ(reply->tool_calls.size(), 1u);
  EXPECT_EQ(reply->tool_calls[0].arguments, Json({{"path", "a"}}));
  EXPECT_EQ(reply->finish_reason, FinishReason::kToolCalls);
  // Through JSON, as a journal would keep it.
  request.messages.push_back(ToMessage(*ModelReplyFromJson(ToJson(*reply))));
  request.messages.push_back(ResultMessage(reply->tool_calls[0], "text of a"));
  request.messages.back().is_error = true;
  request.messages.push_back(TextMessage(Role::kUser, "Go on."));
  ASSERT_TRUE(served.Ask(request).ok());
  const Json messages = WithoutCacheMarks(served.Body(1)["messages"]);
  EXPECT_EQ(messages, *ParseJson(R"([
    {"role":"user","content":[{"type":"text","text":"Do it."}]},
    {"role":"assistant","content":[
      {"type":"thinking","thinking":"hm","signature":"c2ln"},
      {"type":"text","text":"Reading."},
      {"type":"tool_use","id":"toolu_1","name":"file_read","input":{"path":"a"}}]},
    {"role":"user","content":[
      {"type":"tool_result","tool_use_id":"toolu_1","content":"text of a","is_error":true},
      {"type":"text","text":"Go on."}]}])"));
}

TEST(AnthropicModelTest, ResultsOfParallelCallsStandInOneMessageBeforeText) {
  ServedModel served("anthropic:m", {TextReply("ok")});
  ModelRequest request = SimpleRequest();
  Message calls;
  calls.role = Role::kAssistant;
  calls.text = "  \n";  // the API refuses blank text
  calls.tool_calls = {{"a:1", "file.read", {{"path", "x"}}},
                      {"b", "file.read", Json::object(), "bad"}};
  request.messages.push_back(calls);
  request.messages.push_back(ResultMessage(calls.tool_calls[0], "1"));
  request.messages.push_back(TextMessage(Role::kSystem, "Note."));
  request.messages.push_back(ResultMessage(calls.tool_calls[1], ""));
  ASSERT_TRUE(served.Ask(request).ok());
  const Json messages = WithoutCacheMarks(served.Body(0)["messages"]);
  EXPECT_EQ(messages[1]["content"], *ParseJson(R"([
      {"type":"tool_use","id":"a_1","name":"file_read","input":{"path":"x"}},
      {"type":"tool_use","id":"b","name":"file_read","input":{}}])"));
  EXPECT_EQ(messages[2]["content"], *ParseJson(R"([
      {"type":"tool_result","tool_use_id":"a_1","content":"1"},
      {"type":"tool_result","tool_use_id":"b"},
      {"type":"text","text":"Note."}])"));
}

TEST(AnthropicModelTest, RequestsOnlyGrowAndMarkWhereTheCacheWasWritten) {
  std::vector<FaultReply> script(4, StreamReply({Events(CallEvents())}));
  ServedModel served("anthropic:m", script);
  ModelRequest request = SimpleRequest();
  for (int turn = 0; turn < 4; ++turn) {
    const auto reply = served.Ask(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    request.messages.push_back(ToMessage(*reply));
    request.messages.push_back(ResultMessage(reply->tool_calls[0], "text"));
  }
  EXPECT_EQ(served.server.connection_count(), 1);
  for (size_t i = 0; i < 4; ++i) {
    const Json body = served.Body(i);
    EXPECT_LE(CacheMarks(body), 4);
    EXPECT_TRUE(body["messages"].back()["content"].back().contains("cache_control"));
    if (i == 0) continue;
    const Json before = served.Body(i - 1);
    // What was written to the cache last time is marked again, and everything before it is equal.
    EXPECT_TRUE(body["messages"][before["messages"].size() - 1]["content"].back().contains(
        "cache_control"));
    EXPECT_EQ(body["tools"], before["tools"]);
    EXPECT_EQ(body["system"], before["system"]);
    std::string prefix = DumpJson(WithoutCacheMarks(before["messages"]));
    prefix.pop_back();
    EXPECT_TRUE(absl::StartsWith(DumpJson(WithoutCacheMarks(body["messages"])), prefix));
  }
}

TEST(AnthropicModelTest, MapsStopReasons) {
  const std::pair<const char*, FinishReason> cases[] = {
      {"end_turn", FinishReason::kStop},
      {"stop_sequence", FinishReason::kStop},
      {"max_tokens", FinishReason::kLength},
      {"model_context_window_exceeded", FinishReason::kLength},
      {"refusal", FinishReason::kRefusal},
  };
  for (const auto& [name, reason] : cases) {
    ServedModel served("anthropic:m", {TextReply("x", name)});
    EXPECT_EQ(served.Ask(SimpleRequest())->finish_reason, reason) << name;
  }
}

TEST(AnthropicModelTest, APausedTurnGoesOn) {
  ServedModel served("anthropic:m", {TextReply("first ", "pause_turn"), TextReply("second")});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "first second");
  EXPECT_EQ(reply->usage.output_tokens, 100);
  EXPECT_EQ(served.Body(1)["messages"][1],
            *ParseJson(R"({"role":"assistant","content":[{"type":"text","text":"first "}]})"));
}

TEST(AnthropicModelTest, ATurnThatNeverStopsPausingIsNoEnd) {
  ServedModel served("anthropic:m", std::vector<FaultReply>(6, TextReply("x", "pause_turn")));
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->finish_reason, FinishReason::kLength);
}

TEST(AnthropicModelTest, ACallCutOffByTheLengthIsMarked) {
  ServedModel served(
      "anthropic:m",
      {StreamReply({Events({kStart, kToolStart, BlockStop(2), End("max_tokens"), kStop})})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_THAT(reply->tool_calls[0].malformed, HasSubstr("cut off"));
}

TEST(AnthropicModelTest, AnOverloadInsideTheStreamIsTriedAgain) {
  const std::string overloaded = Events(
      {kStart, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"});
  ServedModel served("anthropic:m", {StreamReply({overloaded}), TextReply("ok")});
  EXPECT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_EQ(served.clock.sleeps().size(), 1u);

  ServedModel lasting("anthropic:m", std::vector<FaultReply>(6, StreamReply({overloaded})));
  const absl::Status status = lasting.Ask(SimpleRequest()).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("Overloaded"));
}

TEST(AnthropicModelTest, AnErrorAfterACompleteCallIsTriedAgain) {
  std::vector<std::string> events = CallEvents();
  events.resize(events.size() - 2);  // no stop reason yet
  events.push_back(
      R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
  ServedModel served("anthropic:m", {StreamReply({Events(events)}), TextReply("ok")});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "ok");
  EXPECT_TRUE(reply->tool_calls.empty());
}

TEST(AnthropicModelTest, ErrorAnswersAreRetriedOrExplained) {
  const std::string body =
      absl::StrCat(R"({"type":"error","error":{"type":"x_error","message":"key )", kTestKey,
                   R"("},"request_id":"r"})");
  ServedModel served("anthropic:m", {JsonReply(529, body), JsonReply(529, body), TextReply("ok")});
  EXPECT_TRUE(served.Ask(SimpleRequest()).ok());
  ServedModel refused("anthropic:m", {JsonReply(401, body)});
  const std::string message(refused.Ask(SimpleRequest()).status().message());
  EXPECT_THAT(message, HasSubstr("check ANTHROPIC_API_KEY"));
  EXPECT_THAT(message, Not(HasSubstr(kTestKey)));
}

TEST(AnthropicModelTest, AnAnswerThatIsNoStreamIsReported) {
  ServedModel served("anthropic:m", std::vector<FaultReply>(4, JsonReply(200, "<html>hi</html>")));
  const absl::Status status = served.Ask(SimpleRequest()).status();
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("did not answer like Anthropic Messages"));
}

TEST(AnthropicModelTest, HostileEventsDoNoHarm) {
  const std::string hostile = Sse(
      {R"({"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"x"}})",
       R"({"type":"content_block_start","index":0,"content_block":7})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","input":[]}})",
       R"({"type":"content_block_stop","index":-5})", R"({"type":7})",
       R"({"type":"message_delta","delta":3,"usage":"x"})",
       R"({"type":"message_start","message":[]})", R"({"type":"message_stop"})"});
  ServedModel served("anthropic:m", {StreamReply({hostile})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tool_calls.size(), 1u);
  EXPECT_EQ(reply->tool_calls[0].name, "unnamed");
}

}  // namespace
}  // namespace stile

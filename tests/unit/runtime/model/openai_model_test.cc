#include "runtime/model/openai_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/strings/match.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kText[] =
    R"({"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"}}]})";
constexpr char kCallStart[] =
    R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function",)"
    R"("function":{"name":"file_read","arguments":""}}]}}]})";
constexpr char kCallArguments[] =
    R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"x\"}"}}]}}]})";
constexpr char kSecondCall[] =
    R"({"choices":[{"delta":{"tool_calls":[{"index":1,"id":"call_b",)"
    R"("function":{"name":"file_read","arguments":"{\"path\":\"y\"}"}}]}}]})";
constexpr char kFinishCalls[] = R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})";
constexpr char kFinishStop[] = R"({"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null})";
constexpr char kUsage[] = R"({"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,)"
                          R"("prompt_tokens_details":{"cached_tokens":64}}})";

FaultReply TextReply() { return StreamReply({Sse({kText, kFinishStop, kUsage, "[DONE]"})}); }

TEST(OpenAiModelTest, SendsTheRequestThatTheApiWants) {
  ServedModel served("openai:test-model", {TextReply()});
  ModelRequest request = SimpleRequest();
  request.temperature = 0.5;
  request.max_output_tokens = 99;
  ASSERT_TRUE(served.Ask(request).ok());
  const ReceivedRequest received = served.server.requests().at(0);
  EXPECT_EQ(received.target, "/v1/chat/completions");
  EXPECT_EQ(received.headers.at("authorization"), absl::StrCat("Bearer ", kTestKey));
  EXPECT_EQ(served.Body(0), *ParseJson(R"({
    "model":"test-model","stream":true,"stream_options":{"include_usage":true},
    "temperature":0.5,"max_completion_tokens":99,
    "prompt_cache_key":"stile-0ac78ba4066e8d864561247720d9e218",
    "messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Do it."}],
    "tools":[{"type":"function","function":{"name":"file_read","description":"Reads a file.",
      "parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}]})"));
}

TEST(OpenAiModelTest, ReadsTextUsageAndDeltasInAnySplit) {
  const std::string stream = Sse({kText, kFinishStop, kUsage, "[DONE]"});
  for (const size_t piece : {1, 7, 1000}) {
    std::vector<std::string> pieces;
    for (size_t i = 0; i < stream.size(); i += piece) pieces.push_back(stream.substr(i, piece));
    ServedModel served("openai:test-model", {StreamReply(pieces)});
    const auto reply = served.Ask(SimpleRequest());
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->text, "Hello");
    EXPECT_EQ(served.listener.text, "Hello");
    EXPECT_EQ(reply->finish_reason, FinishReason::kStop);
    EXPECT_EQ(reply->usage.input_tokens, 100);
    EXPECT_EQ(reply->usage.output_tokens, 7);
    EXPECT_EQ(reply->usage.cached_tokens, 64);
    EXPECT_EQ(reply->usage.cost_usd, 0);
  }
}

TEST(OpenAiModelTest, KnowsThePriceOfAWellKnownModel) {
  ServedModel served("openai:gpt-4o-2024-08-06", {TextReply()});
  const auto reply = served.Ask(SimpleRequest());
  EXPECT_DOUBLE_EQ(reply->usage.cost_usd, (36 * 2.5 + 64 * 1.25 + 7 * 10) / 1e6);
}

TEST(OpenAiModelTest, ReadsParallelToolCallsByIndex) {
  ServedModel served("openai:m", {StreamReply({Sse({kCallStart, kCallArguments, kSecondCall,
                                                    kFinishCalls, kUsage, "[DONE]"})})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tool_calls.size(), 2u);
  EXPECT_EQ(reply->tool_calls[0].id, "call_a");
  EXPECT_EQ(reply->tool_calls[0].name, "file_read");
  EXPECT_EQ(reply->tool_calls[0].arguments, Json({{"path", "x"}}));
  EXPECT_EQ(reply->tool_calls[1].id, "call_b");
  EXPECT_EQ(reply->finish_reason, FinishReason::kToolCalls);
}

TEST(OpenAiModelTest, RequestsOnlyGrowAndKeepTheirConnection) {
  const FaultReply calls =
      StreamReply({Sse({kText, kCallStart, kCallArguments, kFinishCalls, "[DONE]"})});
  ServedModel served("openai:m", {calls, calls, TextReply()});
  ModelRequest request = SimpleRequest();
  for (int turn = 0; turn < 3; ++turn) {
    const auto reply = served.Ask(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    request.messages.push_back(ToMessage(*reply));
    for (const ToolCall& call : reply->tool_calls) {
      request.messages.push_back(ResultMessage(call, "content"));
    }
  }
  EXPECT_EQ(served.server.connection_count(), 1);
  const auto requests = served.server.requests();
  for (size_t i = 0; i + 1 < requests.size(); ++i) {
    const std::string messages = DumpJson(served.Body(i)["messages"]);
    const size_t at = requests[i].body.find(messages);
    ASSERT_NE(at, std::string::npos);
    // All bytes up to the end of the last message are the same in the next request.
    const std::string prefix = requests[i].body.substr(0, at + messages.size() - 1);
    EXPECT_TRUE(absl::StartsWith(requests[i + 1].body, prefix)) << "request " << i;
  }
  const Json messages = served.Body(1)["messages"];
  EXPECT_EQ(messages[2],
            *ParseJson(R"({"role":"assistant","content":"Hello","tool_calls":[{"id":"call_a",
      "type":"function","function":{"name":"file_read","arguments":"{\"path\":\"x\"}"}}]})"));
  EXPECT_EQ(messages[3],
            *ParseJson(R"({"role":"tool","tool_call_id":"call_a","content":"content"})"));
  // The server gave the same id twice; the second call got its own.
  EXPECT_NE(served.Body(2)["messages"][4]["tool_calls"][0]["id"], "call_a");
}

TEST(OpenAiModelTest, InvalidArgumentsAreReportedAndNotSentBack) {
  ServedModel served(
      "openai:m",
      {StreamReply({Sse(
           {kCallStart,
            R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"pa"}}]}}]})",
            kFinishCalls, "[DONE]"})}),
       TextReply()});
  ModelRequest request = SimpleRequest();
  const auto reply = served.Ask(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_THAT(reply->tool_calls[0].malformed, HasSubstr("not valid JSON"));
  request.messages.push_back(ToMessage(*reply));
  request.messages.push_back(ResultMessage(reply->tool_calls[0], "bad"));
  ASSERT_TRUE(served.Ask(request).ok());
  EXPECT_EQ(served.Body(1)["messages"][2]["tool_calls"][0]["function"]["arguments"], "{}");
}

TEST(OpenAiModelTest, ACallCutOffByTheLengthSaysSo) {
  ServedModel served(
      "openai:m",
      {StreamReply({Sse(
          {kCallStart, R"({"choices":[{"delta":{},"finish_reason":"length"}]})", "[DONE]"})})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->finish_reason, FinishReason::kLength);
  EXPECT_THAT(reply->tool_calls[0].malformed, HasSubstr("cut off"));
}

TEST(OpenAiModelTest, ReadsServersThatDoNotStreamAndSendObjects) {
  ServedModel served("openai:m", {JsonReply(200, R"({
      "choices":[{"finish_reason":"stop","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],
      "tool_calls":[{"function":{"name":"file.read","arguments":{"path":"x"}}},
                    {"function":{"name":"file.read","arguments":null}}]}}]})")});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "hi");
  ASSERT_EQ(reply->tool_calls.size(), 2u);
  EXPECT_EQ(reply->tool_calls[0].arguments, Json({{"path", "x"}}));
  EXPECT_NE(reply->tool_calls[0].id, reply->tool_calls[1].id);
  EXPECT_EQ(reply->finish_reason, FinishReason::kToolCalls);
  EXPECT_EQ(reply->usage.total(), 0);
}

TEST(OpenAiModelTest, TellsCallsApartThatShareAnIndexOrHaveNone) {
  ServedModel served(
      "openai:m",
      {StreamReply({Sse(
          {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{}"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"2","function":{"name":"b","arguments":"{}"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"id":"3","function":{"name":"c","arguments":"{"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]})",
           kFinishCalls})})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  std::vector<std::string> names;
  for (const ToolCall& call : reply->tool_calls) names.push_back(call.name + call.malformed);
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

TEST(OpenAiModelTest, AStreamThatBreaksBeforeACallIsTriedAgainFromTheStart) {
  FaultReply broken = StreamReply({Sse({kText, kCallStart})});
  broken.break_off = true;
  ServedModel served("openai:m", {broken, StreamReply({Sse({kText})}), TextReply()});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "Hello");
  const auto requests = served.server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].body, requests[2].body);
  EXPECT_EQ(requests[0].headers.at("idempotency-key"), requests[2].headers.at("idempotency-key"));
  ASSERT_EQ(served.clock.sleeps().size(), 2u);
  EXPECT_LE(served.clock.sleeps()[0], absl::Milliseconds(500));
  EXPECT_GE(served.clock.sleeps()[0], absl::Milliseconds(375));
}

TEST(OpenAiModelTest, AStreamThatBreaksAfterACompleteCallIsTriedAgainFromTheStart) {
  FaultReply broken = StreamReply({Sse({kCallStart, kCallArguments, kSecondCall})});
  broken.break_off = true;
  ServedModel served("openai:m", {broken, TextReply()});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->tool_calls.empty()) << "of the second reply alone";
  ASSERT_EQ(served.listener.notices.size(), 1u);
  EXPECT_THAT(served.listener.notices[0].text,
              HasSubstr("the reply of openai broke off, next attempt in "));
}

TEST(OpenAiModelTest, StreamsThatBreakAreTriedAgainAsOftenAsErrorsOfTheServer) {
  FaultReply broken = StreamReply({Sse({kCallStart, kCallArguments, kSecondCall})});
  broken.break_off = true;
  ServedModel streams("openai:m", std::vector<FaultReply>(9, broken));
  EXPECT_TRUE(absl::IsUnavailable(streams.Ask(SimpleRequest()).status()));
  ServedModel errors("openai:m", std::vector<FaultReply>(9, JsonReply(500, "{}")));
  EXPECT_TRUE(absl::IsUnavailable(errors.Ask(SimpleRequest()).status()));
  EXPECT_EQ(streams.server.requests().size(), errors.server.requests().size());
}

TEST(OpenAiModelTest, AStreamThatBreaksAfterItsFinishReasonIsAReplyWithoutUsage) {
  FaultReply broken = StreamReply({Sse({kCallStart, kCallArguments, kFinishCalls})});
  broken.break_off = true;
  ServedModel served("openai:m", {broken});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->tool_calls.size(), 1u);
  EXPECT_EQ(reply->usage.total(), 0);
}

TEST(OpenAiModelTest, AnErrorInsideTheStreamIsTriedAgainUnlessItIsTheRequestsFault) {
  const std::string overloaded =
      Sse({kText, R"({"error":{"message":"busy","type":"server_error"}})"});
  ServedModel served("openai:m", {StreamReply({overloaded}), TextReply()});
  EXPECT_TRUE(served.Ask(SimpleRequest()).ok());

  const std::string refused =
      Sse({R"({"error":{"message":"too long","code":"context_length_exceeded"}})"});
  ServedModel strict("openai:m", {StreamReply({refused}), TextReply()});
  const absl::Status status = strict.Ask(SimpleRequest()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("too long"));
  EXPECT_EQ(strict.server.requests().size(), 1u);
}

TEST(OpenAiModelTest, WaitsAsToldBeforeTryingAgain) {
  FaultReply limited = JsonReply(429, R"({"error":{"message":"slow down"}})");
  limited.headers.push_back({"retry-after-ms", "1234"});
  FaultReply later = JsonReply(503, "");
  later.headers.push_back({"Retry-After", "9"});
  ServedModel served("openai:m", {limited, later, TextReply()});
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_THAT(served.clock.sleeps(), ElementsAre(absl::Milliseconds(1234), absl::Seconds(9)));
}

TEST(OpenAiModelTest, ObeysTheServersVerdictOnRetrying) {
  FaultReply no = JsonReply(500, "");
  no.headers.push_back({"x-should-retry", "false"});
  ServedModel served("openai:m", {no, TextReply()});
  EXPECT_TRUE(absl::IsUnavailable(served.Ask(SimpleRequest()).status()));
  EXPECT_EQ(served.server.requests().size(), 1u);
}

TEST(OpenAiModelTest, ErrorsSayWhatToDoAndNeverHoldTheKey) {
  const struct {
    int status;
    absl::StatusCode code;
    const char* words;
    size_t requests;
  } cases[] = {
      {400, absl::StatusCode::kInvalidArgument, "HTTP 400", 1},
      {401, absl::StatusCode::kUnauthenticated, "check OPENAI_API_KEY", 1},
      {402, absl::StatusCode::kResourceExhausted, "add credit", 1},
      {403, absl::StatusCode::kPermissionDenied, "may not use model m", 1},
      {404, absl::StatusCode::kInvalidArgument,
       "check the name of the model (--model) and the address (--base-url, or OPENAI_BASE_URL)", 1},
      {302, absl::StatusCode::kInvalidArgument, "--base-url", 1},
      {429, absl::StatusCode::kResourceExhausted, "13 attempts", 13},
      {500, absl::StatusCode::kUnavailable, "6 attempts", 6},
      {529, absl::StatusCode::kUnavailable, "overloaded", 13},
  };
  for (const auto& expected : cases) {
    const std::string body = absl::StrCat(R"({"error":{"message":"you sent )", kTestKey, "\"}}");
    ServedModel served("openai:m", std::vector<FaultReply>(13, JsonReply(expected.status, body)));
    const absl::Status status = served.Ask(SimpleRequest()).status();
    EXPECT_EQ(status.code(), expected.code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(expected.words));
    EXPECT_THAT(std::string(status.message()), HasSubstr("you sent [key]"));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr(kTestKey)));
    EXPECT_EQ(served.server.requests().size(), expected.requests) << expected.status;
  }
}

TEST(OpenAiModelTest, AKeyInALongErrorIsNotCutIntoPieces) {
  const std::string body = std::string(295, 'x') + kTestKey + std::string(2000, 'y');
  for (size_t shift = 0; shift < 20; ++shift) {
    ServedModel served("openai:m", {JsonReply(400, body.substr(shift))});
    const std::string message(served.Ask(SimpleRequest()).status().message());
    EXPECT_THAT(message, Not(HasSubstr("sk-t")));
    EXPECT_THAT(message, Not(HasSubstr("789y")));
  }
}

TEST(OpenAiModelTest, AnswersThatAreNoneAreReportedWithTheUrl) {
  const std::string html = "<html><body>Sign in</body></html>";
  FaultReply huge = StreamReply({});
  huge.filler_bytes = size_t{100} << 20;
  FaultReply invalid =
      StreamReply({"data: {\"choices\":[{\"delta\":{\"content\":\xff\xfe}}]}\n\n"});
  for (const FaultReply& reply :
       {JsonReply(200, html), JsonReply(200, "{}x"), StreamReply({}), JsonReply(200, "[1,2]"), huge,
        invalid, StreamReply({"data: [1]\n\n"})}) {
    ServedModel served("openai:m", {reply, reply, reply, reply});
    const absl::Status status = served.Ask(SimpleRequest()).status();
    EXPECT_TRUE(absl::IsDataLoss(status) || absl::IsResourceExhausted(status)) << status;
    EXPECT_LT(status.message().size(), 2000u);
  }
}

TEST(OpenAiModelTest, BytesThatAreNoUtf8AreReplaced) {
  ServedModel served("openai:m",
                     {StreamReply({Sse({"{\"choices\":[{\"delta\":{\"content\":\"a\xff z\"}}]}",
                                        kFinishStop, "[DONE]"})})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "a\xEF\xBF\xBD z");
}

TEST(OpenAiModelTest, ARefusalIsNoOrdinaryEnd) {
  ServedModel served("openai:m", {StreamReply({Sse({R"({"choices":[{"delta":{"refusal":"No."}}]})",
                                                    kFinishStop, "[DONE]"})})});
  const auto reply = served.Ask(SimpleRequest());
  EXPECT_EQ(reply->finish_reason, FinishReason::kRefusal);
  EXPECT_EQ(reply->text, "No.");
}

TEST(OpenAiModelTest, CancellationEndsAStalledReply) {
  FaultReply stalled = StreamReply({Sse({kText})});
  stalled.stall_at_end = true;
  ServedModel served("openai:m", {stalled});
  Cancellation cancellation;
  std::thread canceller([&] {
    served.server.WaitForRequests(1);
    cancellation.Cancel();
  });
  const auto reply = served.model->Complete(SimpleRequest(), {}, &cancellation);
  canceller.join();
  EXPECT_TRUE(absl::IsCancelled(reply.status())) << reply.status();
  EXPECT_EQ(served.server.requests().size(), 1u);
}

TEST(OpenAiModelTest, ARefusedConnectionNamesTheUrlAfterItsRetries) {
  FakeClock clock;
  ModelSettings settings;
  settings.model = "openai:m";
  settings.base_url = "http://127.0.0.1:1/v1";
  auto model = *NewChatModel(settings, {}, &clock);
  const absl::Status status = model->Complete(SimpleRequest(), {}, nullptr).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("http://127.0.0.1:1/v1/chat/completions"));
  EXPECT_EQ(clock.sleeps().size(), 3u);
}

}  // namespace
}  // namespace stile

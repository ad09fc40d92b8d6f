// What every dialect shares: optional parameters that are refused, waiting, quotas, overflow.
#include "runtime/model/provider_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/provider_error.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDone[] = R"({"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]})";

FaultReply Done() { return StreamReply({Sse({kDone, "[DONE]"})}); }

std::string Refusal(const std::string& param, const std::string& message) {
  return DumpJson({{"error",
                    {{"message", message},
                     {"type", "invalid_request_error"},
                     {"param", param.empty() ? Json() : Json(param)},
                     {"code", "unsupported_value"}}}});
}

TEST(ProviderCallerTest, ARefusedOptionalParameterIsLeftOutForTheRestOfTheRun) {
  ServedModel served("openai:gpt-5",
                     {JsonReply(400, Refusal("temperature",
                                             "Unsupported value: 'temperature' does "
                                             "not support 0.5 with this model.")),
                      Done(), Done()});
  ModelRequest request = SimpleRequest();
  request.temperature = 0.5;
  ASSERT_TRUE(served.Ask(request).ok());
  ASSERT_TRUE(served.Ask(request).ok());
  EXPECT_TRUE(served.Body(0).contains("temperature"));
  EXPECT_FALSE(served.Body(1).contains("temperature"));
  EXPECT_FALSE(served.Body(2).contains("temperature"));
  ASSERT_EQ(served.listener.notices.size(), 1u);
  EXPECT_EQ(served.listener.notices[0].kind, ModelNotice::Kind::kParameterDropped);
  EXPECT_THAT(served.listener.notices[0].text, HasSubstr("refuses 'temperature' for gpt-5"));
}

TEST(ProviderCallerTest, ASecondRefusalOfTheSameParameterIsFinal) {
  const FaultReply refusal = JsonReply(400, Refusal("temperature", "no"));
  ServedModel served("openai:gpt-5", {refusal, refusal, Done()});
  ModelRequest request = SimpleRequest();
  request.temperature = 0.5;
  EXPECT_TRUE(absl::IsInvalidArgument(served.Ask(request).status()));
  EXPECT_EQ(served.server.requests().size(), 2u);
}

TEST(ProviderCallerTest, WhatWasNotSentIsNoReasonToAskAgain) {
  ServedModel served("openai:m", {JsonReply(400, Refusal("temperature", "no")), Done()});
  EXPECT_TRUE(absl::IsInvalidArgument(served.Ask(SimpleRequest()).status()));
  EXPECT_EQ(served.server.requests().size(), 1u);
}

TEST(NamesParameterTest, ByParamOrByAMessageThatCanMeanNothingElse) {
  EXPECT_TRUE(NamesParameter(Refusal("reasoning.effort", "x"), "reasoning"));
  EXPECT_TRUE(NamesParameter(Refusal("messages.[2].reasoning_content", "x"), "reasoning_content"));
  EXPECT_FALSE(NamesParameter(Refusal("tools[0].name", "temperature"), "temperature"));
  EXPECT_TRUE(
      NamesParameter(R"({"error":{"message":"`temperature` is deprecated"}})", "temperature"));
  EXPECT_TRUE(NamesParameter(
      R"({"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]})",
      "stream_options"));
  EXPECT_TRUE(NamesParameter(R"({"error":{"message":"thinking.type.enabled is not supported"}})",
                             "thinking"));
  EXPECT_FALSE(NamesParameter(R"({"error":{"message":"stop thinking about it"}})", "thinking"));
  EXPECT_FALSE(
      NamesParameter(R"({"error":{"message":"max_tokens_total is wrong"}})", "max_tokens"));
}

TEST(ProviderCallerTest, WaitingIsTold) {
  FaultReply limited = JsonReply(429, Refusal("", "slow down"));
  limited.headers.push_back({"Retry-After", "18"});
  ServedModel served("openai:m", {limited, Done()});
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_THAT(served.clock.sleeps(), ElementsAre(absl::Seconds(18)));
  ASSERT_EQ(served.listener.notices.size(), 1u);
  EXPECT_EQ(served.listener.notices[0].text, "openai: rate limited, next attempt in 18 s");
  EXPECT_EQ(served.listener.notices[0].wait, absl::Seconds(18));
}

FaultReply Limited(const std::string& retry_after) {
  FaultReply limited = JsonReply(429, Refusal("", "slow down"));
  limited.headers.push_back({"Retry-After", retry_after});
  return limited;
}

TEST(ProviderCallerTest, AnHourIsWaitedForWithoutALimitOfTime) {
  ServedModel served("openai:m", {Limited("3600"), Done()});
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_THAT(served.clock.sleeps(), ElementsAre(absl::Hours(1)));
}

TEST(ProviderCallerTest, ALongerWaitEndsTheRequestAndIsNamed) {
  for (const auto& [retry_after, words] : std::vector<std::pair<std::string, std::string>>{
           {"7200",
            "it asks to wait 7200 s, until 2025-11-21 12:00:00 UTC; a run without "
            "limits.wall_time_s waits 3600 s at most"},
           {"1e300", "it asks to wait more than 31536000 s, until 2026-11-21 10:00:00 UTC"}}) {
    ServedModel served("openai:m", {Limited(retry_after), Done()});
    const absl::Status status = served.Ask(SimpleRequest()).status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_TRUE(IsForLater(status));
    EXPECT_FALSE(IsPastEnd(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
    EXPECT_EQ(served.server.requests().size(), 1u);
    EXPECT_THAT(served.clock.sleeps(), ElementsAre());
    EXPECT_THAT(served.listener.notices, ElementsAre());
  }
}

TEST(ProviderCallerTest, AWaitThatFitsIntoTheTimeOfTheRunIsMade) {
  ServedModel served("openai:m", {Limited("7200"), Limited("3000"), Limited("600"), Done()});
  ModelRequest request = SimpleRequest();
  request.ends_at = served.clock.Monotonic() + absl::Hours(3);
  const absl::Status status = served.Ask(request).status();
  // Of three hours, 600 s are left after the first two waits.
  EXPECT_THAT(served.clock.sleeps(), ElementsAre(absl::Seconds(7200), absl::Seconds(3000)));
  EXPECT_TRUE(IsForLater(status));
  EXPECT_TRUE(IsPastEnd(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("it asks to wait 600 s, until 2025-11-21 13:00:00 UTC, but 600 s are left "
                        "of limits.wall_time_s"));
}

TEST(ProviderCallerTest, OwnPausesDoNotPassTheTimeOfTheRunEither) {
  ServedModel served("openai:m", std::vector<FaultReply>(9, JsonReply(500, "{}")));
  ModelRequest request = SimpleRequest();
  request.ends_at = served.clock.Monotonic() + absl::Seconds(1);
  const absl::Status status = served.Ask(request).status();
  EXPECT_TRUE(IsPastEnd(status)) << status;
  EXPECT_EQ(served.clock.sleeps().size(), 1u);
  EXPECT_THAT(std::string(status.message()), HasSubstr("; the next attempt would be in "));
  EXPECT_THAT(std::string(status.message()), HasSubstr(" are left of limits.wall_time_s"));
}

TEST(ProviderCallerTest, TheFallbackAnswersInsteadOfALongWait) {
  ModelSettings settings;
  settings.fallback = "openai:other";
  ServedModel served("openai:m", {Limited("601"), Done()}, "auto", settings);
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_THAT(served.clock.sleeps(), ElementsAre());
  ASSERT_EQ(served.listener.notices.size(), 1u);
  EXPECT_EQ(served.listener.notices[0].kind, ModelNotice::Kind::kFallback);
}

TEST(ProviderCallerTest, ACancellationEndsAWaitAtOnce) {
  FaultHttpServer server({Limited("3600"), Done()});
  ModelSettings settings;
  settings.model = "openai:m";
  settings.base_url = server.url();
  const auto model = NewChatModel(settings, {{"OPENAI_API_KEY", kTestKey}}, SystemClock());
  ASSERT_TRUE(model.ok()) << model.status();
  struct CancellingListener : ReplyListener {
    void OnNotice(const ModelNotice& notice) override {
      EXPECT_EQ(notice.wait, absl::Hours(1));
      cancellation.Cancel();
    }
    Cancellation cancellation;
  } listener;
  const auto reply = (*model)->Complete(SimpleRequest(), &listener, &listener.cancellation);
  EXPECT_TRUE(absl::IsCancelled(reply.status())) << reply.status();
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(ProviderCallerTest, AQuotaThatIsUsedUpIsFinal) {
  ServedModel served(
      "openai:m",
      {JsonReply(429,
                 R"({"error":{"message":"You exceeded your quota","code":"insufficient_quota"}})"),
       Done()});
  EXPECT_TRUE(absl::IsResourceExhausted(served.Ask(SimpleRequest()).status()));
  EXPECT_EQ(served.server.requests().size(), 1u);
}

TEST(ProviderCallerTest, EveryProvidersWordsForAConversationThatIsTooLong) {
  const std::pair<int, const char*> cases[] = {
      {400, R"({"error":{"message":"x","code":"context_length_exceeded"}})"},
      {400, R"({"type":"error","error":{"message":"prompt is too long: 210000 tokens > 200000"}})"},
      {400,
       R"({"error":{"message":"The input token count (1) exceeds the maximum number of tokens allowed"}})"},
      {400, R"({"error":{"type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}})"},
      {400, R"({"message":"This model's maximum context length is 4096 tokens."})"},
      {413, "too large"},
  };
  for (const auto& [status, body] : cases) {
    ServedModel served("openai:m", {JsonReply(status, body)});
    EXPECT_TRUE(IsContextOverflow(served.Ask(SimpleRequest()).status())) << body;
  }
  ServedModel other("openai:m", {JsonReply(400, R"({"error":{"message":"bad tool"}})")});
  EXPECT_FALSE(IsContextOverflow(other.Ask(SimpleRequest()).status()));
}

TEST(ProviderCallerTest, AReplyIsMarkedWithItsModelAndNoOtherModelGetsItsPrivateParts) {
  const std::string thought =
      R"({"choices":[{"delta":{"content":"x","reasoning_content":"hm"},"finish_reason":"stop"}]})";
  ServedModel first("openai:one", {StreamReply({Sse({thought, "[DONE]"})}), Done()});
  ServedModel second("openai:two", {Done()});
  ModelRequest request = SimpleRequest();
  const auto reply = first.Ask(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->provider_data["by"], "openai:one");
  request.messages.push_back(ToMessage(*reply));
  request.messages.push_back(TextMessage(Role::kUser, "go on"));
  ASSERT_TRUE(first.Ask(request).ok());
  ASSERT_TRUE(second.Ask(request).ok());
  EXPECT_EQ(first.Body(1)["messages"][2]["reasoning_content"], "hm");
  EXPECT_FALSE(second.Body(0)["messages"][2].contains("reasoning_content"));
}

}  // namespace
}  // namespace stile

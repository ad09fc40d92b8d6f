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

TEST(ProviderCallerTest, AWaitThatIsTooLongIsNamed) {
  FaultReply limited = JsonReply(429, Refusal("", "slow down"));
  limited.headers.push_back({"Retry-After", "3600"});
  ServedModel served("openai:m", {limited, Done()});
  EXPECT_THAT(std::string(served.Ask(SimpleRequest()).status().message()),
              HasSubstr("(it asks to wait 3600 s)"));
  EXPECT_EQ(served.server.requests().size(), 1u);
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

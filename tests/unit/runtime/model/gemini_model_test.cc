#include "runtime/model/gemini_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

std::string Event(const std::string& parts, const std::string& finish = "") {
  return absl::StrCat(
      R"({"candidates":[{"content":{"role":"model","parts":[)", parts, "]}",
      finish.empty() ? "" : absl::StrCat(R"(,"finishReason":")", finish, "\""),
      R"(}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3,"thoughtsTokenCount":4,"cachedContentTokenCount":5}})");
}

FaultReply Reply(const std::string& parts, const std::string& finish = "STOP") {
  return StreamReply({Sse({Event(parts, finish)})});
}

constexpr char kCall[] =
    R"({"functionCall":{"name":"file_read","args":{"path":"a"}},"thoughtSignature":"c2ln"})";

TEST(GeminiModelTest, ThoughtSignaturesComeBackUnchangedAndResultsInOneContent) {
  ServedModel served(
      "gemini:gemini-3-pro",
      {StreamReply(
           {Sse({Event(R"({"text":"Let "})"), Event(R"({"text":"me."})"),
                 Event(absl::StrCat(
                           kCall, R"(,{"functionCall":{"id":"x9","name":"file_read","args":{}}})"),
                       "STOP")})}),
       Reply(R"({"text":"done"})")});
  ModelRequest request = SimpleRequest();
  const auto first = served.Ask(request);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->text, "Let me.");
  ASSERT_EQ(first->tool_calls.size(), 2u);
  EXPECT_EQ(first->usage.output_tokens, 7);
  EXPECT_EQ(first->usage.cached_tokens, 5);
  request.messages.push_back(ToMessage(*first));
  request.messages.push_back(ResultMessage(first->tool_calls[0], "one"));
  request.messages.push_back(ResultMessage(first->tool_calls[1], "two"));
  ASSERT_TRUE(served.Ask(request).ok());
  EXPECT_EQ(served.server.requests()[0].target,
            "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse");
  const Json contents = served.Body(1)["contents"];
  ASSERT_EQ(contents.size(), 3u);
  EXPECT_EQ(contents[1]["role"], "model");
  EXPECT_EQ(contents[1]["parts"][0], Json({{"text", "Let me."}}));
  EXPECT_EQ(contents[1]["parts"][1], *ParseJson(kCall));
  ASSERT_EQ(contents[2]["parts"].size(), 2u);
  EXPECT_FALSE(contents[2]["parts"][0]["functionResponse"].contains("id"));
  EXPECT_EQ(contents[2]["parts"][1]["functionResponse"]["id"], "x9");
  EXPECT_EQ(contents[2]["parts"][1]["functionResponse"]["response"], Json({{"output", "two"}}));
  EXPECT_TRUE(
      served.Body(1)["tools"][0]["functionDeclarations"][0].contains("parametersJsonSchema"));
  EXPECT_FALSE(served.Body(1).contains("generationConfig"));
}

TEST(GeminiModelTest, ACallOfAnotherModelGetsTheSignatureThatStandsForNone) {
  ServedModel served("gemini:gemini-3-pro", {Reply(R"({"text":"done"})")});
  ModelRequest request = SimpleRequest();
  ModelReply other;
  other.tool_calls.push_back({"call_1", "file.read", {{"path", "a"}}});
  request.messages.push_back(ToMessage(other));
  request.messages.push_back(ResultMessage(other.tool_calls[0], "one"));
  ASSERT_TRUE(served.Ask(request).ok());
  EXPECT_EQ(served.Body(0)["contents"][1]["parts"][0]["thoughtSignature"],
            "skip_thought_signature_validator");
}

TEST(GeminiModelTest, EffortIsALevelOrABudgetByGeneration) {
  ModelSettings settings;
  settings.effort = "low";
  for (const auto& [model, expected] : std::vector<std::pair<std::string, Json>>{
           {"gemini:gemini-3.5-flash", {{"thinkingLevel", "low"}}},
           {"gemini:gemini-2.5-pro", {{"thinkingBudget", 1024}}}}) {
    ServedModel served(model, {Reply(R"({"text":"x"})")}, "auto", settings);
    ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
    EXPECT_EQ(served.Body(0)["generationConfig"]["thinkingConfig"], expected);
  }
}

TEST(GeminiModelTest, FiltersCutsAndBrokenCallsAreTold) {
  ServedModel blocked(
      "gemini:m",
      {StreamReply({Sse({R"({"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}})"})})});
  const auto refused = blocked.Ask(SimpleRequest());
  ASSERT_TRUE(refused.ok()) << refused.status();
  EXPECT_EQ(refused->finish_reason, FinishReason::kContentFilter);
  EXPECT_EQ(refused->text, "PROHIBITED_CONTENT");
  ServedModel cut("gemini:m", {Reply(R"({"text":"half"})", "MAX_TOKENS")});
  EXPECT_EQ(cut.Ask(SimpleRequest())->finish_reason, FinishReason::kLength);
  ServedModel broken(
      "gemini:m",
      {StreamReply({Sse({R"({"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]})"})})});
  EXPECT_THAT(broken.Ask(SimpleRequest())->unparsable, HasSubstr("could not be read"));
}

TEST(GeminiModelTest, AWrongKeyIsNamedAsSuch) {
  ServedModel served(
      "gemini:m",
      {JsonReply(
          400,
          R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}})")});
  const absl::Status status = served.Ask(SimpleRequest()).status();
  EXPECT_TRUE(absl::IsUnauthenticated(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("check GEMINI_API_KEY"));
}

TEST(GeminiModelTest, AStreamThatEndsEarlyIsTriedAgain) {
  ServedModel served(
      "gemini:m", {StreamReply({Sse({Event(R"({"text":"ha"})")})}), Reply(R"({"text":"whole"})")});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "whole");
}

}  // namespace
}  // namespace stile

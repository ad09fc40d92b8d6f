#include "runtime/model/openai_responses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

constexpr char kReasoning[] =
    R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"})";
constexpr char kCall[] =
    R"({"type":"function_call","id":"fc_1","call_id":"call_1","name":"file_read","arguments":"{\"path\":\"a\"}","status":"completed"})";

std::string Item(int index, const std::string& item) {
  return absl::StrCat(R"({"type":"response.output_item.done","output_index":)", index,
                      R"(,"item":)", item, "}");
}

std::string Message(const std::string& text) {
  return absl::StrCat(
      R"({"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"text":")",
      text, R"("}]})");
}

std::string Completed() {
  return R"({"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":100,)"
         R"("output_tokens":7,"input_tokens_details":{"cached_tokens":64}}}})";
}

ServedModel Serve(std::vector<FaultReply> script, const std::string& model = "openai:gpt-5",
                  const std::string& api = "responses") {
  ModelSettings settings;
  settings.api = api;
  return ServedModel(model, std::move(script), "auto", settings);
}

FaultReply CallReply() {
  return StreamReply({Sse({Item(0, kReasoning), Item(1, kCall), Completed()})});
}

FaultReply TextReply(const std::string& text = "done") {
  return StreamReply({Sse({R"({"type":"response.output_text.delta","delta":"do"})",
                           Item(0, Message(text)), Completed()})});
}

TEST(OpenAiResponsesTest, NothingIsStoredAndReasoningComesBackWithItsCall) {
  ServedModel served = Serve({CallReply(), TextReply()});
  ModelRequest request = SimpleRequest();
  const auto first = served.Ask(request);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_EQ(first->tool_calls.size(), 1u);
  EXPECT_EQ(first->tool_calls[0].id, "call_1");
  EXPECT_EQ(first->tool_calls[0].arguments["path"], "a");
  EXPECT_EQ(first->usage.input_tokens, 100);
  EXPECT_EQ(first->usage.cached_tokens, 64);
  EXPECT_GT(first->usage.cost_usd, 0);
  request.messages.push_back(ToMessage(*first));
  request.messages.push_back(ResultMessage(first->tool_calls[0], "hello"));
  const auto second = served.Ask(request);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->text, "done");
  EXPECT_EQ(served.server.requests()[0].target, "/v1/responses");
  const Json body = served.Body(1);
  EXPECT_EQ(body["store"], false);
  EXPECT_EQ(body["include"], Json::array({"reasoning.encrypted_content"}));
  EXPECT_EQ(body["instructions"], "Be brief.");
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_EQ(body["tools"][0]["strict"], false);
  ASSERT_EQ(body["input"].size(), 4u);
  EXPECT_EQ(body["input"][1], *ParseJson(kReasoning));
  EXPECT_EQ(body["input"][2], *ParseJson(kCall));
  EXPECT_EQ(body["input"][3],
            *ParseJson(R"({"type":"function_call_output","call_id":"call_1","output":"hello"})"));
}

TEST(OpenAiResponsesTest, TheEffortIsSentAsTheModelNamesIt) {
  ModelSettings settings;
  settings.api = "responses";
  settings.effort = "low";
  ServedModel served("openai:gpt-5-pro", {TextReply()}, "auto", settings);
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_EQ(served.Body(0)["reasoning"], Json({{"effort", "high"}}));
}

TEST(OpenAiResponsesTest, AFailedResponseIsAnErrorAndAnIncompleteOneIsCutOff) {
  ServedModel failed = Serve({StreamReply({Sse(
      {R"({"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"too long"}}})"})})});
  EXPECT_TRUE(IsContextOverflow(failed.Ask(SimpleRequest()).status()));
  ServedModel cut = Serve({StreamReply({Sse(
      {Item(0, Message("half")),
       R"({"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}})"})})});
  const auto reply = cut.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->finish_reason, FinishReason::kLength);
}

TEST(OpenAiResponsesTest, ARefusalIsNamed) {
  ServedModel served = Serve({StreamReply({Sse(
      {Item(
           0,
           R"({"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"I can't."}]})"),
       Completed()})})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->finish_reason, FinishReason::kRefusal);
  EXPECT_EQ(reply->text, "I can't.");
}

TEST(OpenAiApiTest, TheModelDecidesWhichApiIsAsked) {
  const std::pair<const char*, const char*> cases[] = {
      {"openai:gpt-5.3-codex", "/v1/responses"},
      {"openai:gpt-5-pro", "/v1/responses"},
      {"openai:gpt-5.6-sol", "/v1/responses"},
      {"openai:gpt-6-sol", "/v1/responses"},
      {"openai:gpt-4.1", "/v1/chat/completions"},
      {"openai:my-model", "/v1/chat/completions"},
      {"vllm:codex-7b", "/v1/chat/completions"},
      {"openrouter:openai/gpt-5-pro", "/v1/chat/completions"},
  };
  for (const auto& [model, path] : cases) {
    ServedModel served(model, {JsonReply(401, "{}")});
    EXPECT_FALSE(served.Ask(SimpleRequest()).ok());
    EXPECT_EQ(served.server.requests()[0].target, path) << model;
  }
}

TEST(OpenAiApiTest, AModelThatAnswersAtTheOtherApiOnlyIsAskedThere) {
  ServedModel served(
      "openai:secret",
      {JsonReply(
           404,
           R"({"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions."}})"),
       TextReply(), TextReply()});
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  ASSERT_TRUE(served.Ask(SimpleRequest()).ok());
  EXPECT_EQ(served.server.requests()[1].target, "/v1/responses");
  EXPECT_EQ(served.server.requests()[2].target, "/v1/responses");
  ASSERT_EQ(served.listener.notices.size(), 1u);
  EXPECT_EQ(served.listener.notices[0].kind, ModelNotice::Kind::kApiChanged);
  ServedModel forced = Serve(
      {JsonReply(404, R"({"error":{"message":"This model is only supported in v1/responses"}})")},
      "openai:secret", "chat");
  EXPECT_THAT(std::string(forced.Ask(SimpleRequest()).status().message()),
              HasSubstr("only supported in v1/responses"));
}

TEST(OpenAiResponsesTest, AnAnswerThatIsNoStreamIsReported) {
  ServedModel served = Serve(std::vector<FaultReply>(4, JsonReply(200, "<html>hi</html>")));
  const absl::Status status = served.Ask(SimpleRequest()).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("did not answer like the Responses API"));
}

}  // namespace
}  // namespace stile

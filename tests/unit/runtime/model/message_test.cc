#include "runtime/model/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "runtime/model/tool_call.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<ModelReply> Parse(const char* text) {
  const auto json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text;
  return ModelReplyFromJson(*json);
}

TEST(MessageTest, AReplySurvivesJsonWithNothingLost) {
  ModelReply reply;
  reply.text = "héllo\n";
  ToolCall good{"id1", "file.read", {{"path", "a"}, {"n", {1, 2.5, nullptr}}}, ""};
  ToolCall bad{"id2", "file_write", Json::object(), "no JSON"};
  reply.tool_calls = {good, bad};
  reply.usage = {100, 20, 60, 0.1 + 0.2};
  reply.finish_reason = FinishReason::kLength;
  reply.provider_data = {{"content", {1, "x"}}};
  reply.unparsable = "use the form";
  const auto again = ModelReplyFromJson(ToJson(reply));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(DumpJson(ToJson(*again)), DumpJson(ToJson(reply)));
  EXPECT_EQ(again->text, reply.text);
  EXPECT_EQ(again->tool_calls[1].malformed, "no JSON");
  EXPECT_EQ(again->usage.cost_usd, reply.usage.cost_usd);
  EXPECT_EQ(again->provider_data, reply.provider_data);
  EXPECT_EQ(again->unparsable, "use the form");
}

TEST(MessageTest, ReadsAHandWrittenReply) {
  const auto reply =
      Parse(R"({"text":"t","tool_calls":[{"name":"finish","arguments":{"answer":"a"}}],
                               "usage":{"input_tokens":10,"output_tokens":5}})");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->finish_reason, FinishReason::kToolCalls);
  EXPECT_EQ(reply->tool_calls[0].id, "");
  EXPECT_EQ(reply->usage.total(), 15);
  EXPECT_EQ(Parse(R"({"text":"t"})")->finish_reason, FinishReason::kStop);
}

TEST(MessageTest, ReadsArgumentTextAsProvidersSendIt) {
  const auto reply = Parse(R"({"tool_calls":[{"name":"a","arguments":"{\"x\":1}"},
                                             {"name":"b","arguments":"{\"x\":"}]})");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->tool_calls[0].arguments, Json({{"x", 1}}));
  EXPECT_THAT(reply->tool_calls[1].malformed, HasSubstr("not valid JSON"));
}

TEST(MessageTest, SaysWhatIsWrongWithAReply) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "must be a JSON object"},
      {"{}", "needs \"text\" or \"tool_calls\""},
      {R"({"text":1})", "\"text\" must be a string"},
      {R"({"tool_calls":{}})", "must be an array"},
      {R"({"tool_calls":[{"name":"a"},{"id":"x"}]})", "\"tool_calls[1]\": needs a \"name\""},
      {R"({"tool_calls":[{"name":"a","arguments":[]}]})", "must be an object"},
      {R"({"text":"","usage":{"input_tokens":-1}})", "usage.input_tokens"},
      {R"({"text":"","finish_reason":"done"})", "unknown \"finish_reason\" \"done\""},
  };
  for (const auto& [text, words] : cases) {
    const auto reply = Parse(text);
    ASSERT_FALSE(reply.ok()) << text;
    EXPECT_THAT(std::string(reply.status().message()), HasSubstr(words));
  }
}

TEST(MessageTest, TheMessageOfAReplyKeepsWhatTheProviderNeeds) {
  ModelReply reply;
  reply.text = "t";
  reply.tool_calls = {{"id", "n"}};
  reply.provider_data = {{"k", 1}};
  const Message message = ToMessage(reply);
  EXPECT_EQ(message.role, Role::kAssistant);
  EXPECT_EQ(message.tool_calls.size(), 1u);
  EXPECT_EQ(message.provider_data, reply.provider_data);
}

TEST(MessageTest, UsageAddsUp) {
  Usage usage{1, 2, 3, 0.5};
  usage += {10, 20, 30, 0.25};
  EXPECT_EQ(usage.input_tokens, 11);
  EXPECT_EQ(usage.output_tokens, 22);
  EXPECT_EQ(usage.cached_tokens, 33);
  EXPECT_EQ(usage.cost_usd, 0.75);
}

TEST(ToolCallTest, MissingAndRepeatedIdsAreReplacedByNewOnes) {
  ModelRequest request;
  Message before;
  before.role = Role::kAssistant;
  before.tool_calls = {{"call_0", "a"}};
  request.messages = {before};
  ModelReply reply;
  reply.tool_calls = {{"call_0", "a"}, {"", "b"}, {"x", "c"}, {"x", "d"}};
  MakeCallIdsUnique(request, &reply);
  std::set<std::string> ids = {"call_0"};
  for (const ToolCall& call : reply.tool_calls) EXPECT_TRUE(ids.insert(call.id).second) << call.id;
  EXPECT_EQ(reply.tool_calls[2].id, "x");
}

TEST(ToolCallTest, NamesFitTheProviders) {
  EXPECT_EQ(ProviderToolName("code.validate"), "code_validate");
  EXPECT_EQ(ProviderToolName("a b/ü"), "a_b___");
  EXPECT_EQ(ProviderToolName(""), "unnamed");
  EXPECT_EQ(ProviderToolName(std::string(100, 'x')).size(), 64u);
}

TEST(ToolCallTest, ArgumentsOtherThanObjectsAreMalformed) {
  for (const char* text : {"[1]", "1", "\"x\"", "{", "{'a':1}"}) {
    ToolCall call;
    call.name = "t";
    SetArguments(text, &call);
    EXPECT_NE(call.malformed, "") << text;
    EXPECT_EQ(call.arguments, Json::object());
  }
  for (const char* text : {"", "  ", "null", "{}"}) {
    ToolCall call;
    SetArguments(text, &call);
    EXPECT_EQ(call.malformed, "") << text;
  }
}

}  // namespace
}  // namespace stile

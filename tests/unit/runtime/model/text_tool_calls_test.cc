#include "runtime/model/text_tool_calls.h"

#include <gtest/gtest.h>

#include "runtime/model/tool_call.h"
#include "tests/unit/runtime/model/model_test_util.h"

namespace stile {
namespace {

std::vector<ToolDefinition> Tools() {
  const Json properties = {{"path", {{"type", "string"}}}, {"startLine", {{"type", "integer"}}}};
  return {{"file.read", "Reads a file.", {{"type", "object"}, {"properties", properties}}}};
}

TEST(TextToolCallsTest, ReadsTheFormsThatOpenModelsWrite) {
  for (const char* text : {
           "<tool_call>\n{\"name\": \"file_read\", \"arguments\": {\"path\": \"7\", \"startLine\": "
           "3}}\n</tool_call>",
           "<tool_call>\n<function=file_read>\n<parameter=path>\n7\n</"
           "parameter>\n<parameter=startLine>\n3\n</parameter>\n</function>\n</tool_call>",
           "<function=file_read>\n<parameter=path>7</parameter><parameter=startLine>3</parameter></"
           "function>",
           "[TOOL_CALLS][{\"name\": \"file_read\", \"arguments\": {\"path\": \"7\", \"startLine\": "
           "3}}]",
           "[TOOL_CALLS]file_read[ARGS]{\"path\": \"7\", \"startLine\": 3}",
           "```json\n{\"name\": \"file_read\", \"arguments\": {\"path\": \"7\", \"startLine\": "
           "3}}\n```",
           "{\"name\": \"file.read\", \"parameters\": {\"path\": \"7\", \"startLine\": 3}}",
       }) {
    const auto read = ReadTextToolCalls(text, Tools());
    ASSERT_TRUE(read.has_value()) << text;
    ASSERT_EQ(read->calls.size(), 1u) << text << read->unparsable;
    EXPECT_EQ(ProviderToolName(read->calls[0].name), "file_read") << text;
    EXPECT_EQ(read->calls[0].arguments, Json({{"path", "7"}, {"startLine", 3}})) << text;
    EXPECT_EQ(read->text, "");
  }
}

TEST(TextToolCallsTest, KeepsWhatStandsBeforeAndReadsSeveral) {
  const auto read = ReadTextToolCalls(
      "<think>hm <tool_call></think>I "
      "look.\n<tool_call>{\"name\":\"a\",\"arguments\":{}}</tool_call>\n"
      "<tool_call>{\"name\":\"b\",\"arguments\":\"{\\\"x\\\":1}\"}</tool_call>",
      Tools());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->text, "I look.");
  ASSERT_EQ(read->calls.size(), 2u);
  EXPECT_EQ(read->calls[1].arguments, Json({{"x", 1}}));
}

TEST(TextToolCallsTest, FencesMayHoldFencesAndStandSeveralTimes) {
  const auto read = ReadTextToolCalls(
      "Both:\n```json\n{\"name\": \"file_read\", \"arguments\": {\"path\": "
      "\"```x\\n```\"}}\n```\n\n"
      "```\n{\"name\": \"file_read\", \"arguments\": {\"path\": \"b\"}}\n```\n",
      Tools());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->text, "Both:");
  ASSERT_EQ(read->calls.size(), 2u);
  EXPECT_EQ(read->calls[0].arguments, Json({{"path", "```x\n```"}}));
  EXPECT_EQ(read->calls[1].arguments, Json({{"path", "b"}}));
}

TEST(TextToolCallsTest, ProseAndForeignJsonAreAnswers) {
  for (const char* text : {
           "Done.",
           "",
           "Use the tag <tool_call> to call tools.",
           "```json\n{\"name\": \"my-package\", \"arguments\": {}}\n```",
           "```json\n{\"name\": \"file_read\", \"arguments\": {}}\n```\nis how one calls it.",
           "{\"name\": \"file_read\"}",
           "[]",
           "```\n```",
       }) {
    EXPECT_FALSE(ReadTextToolCalls(text, Tools()).has_value()) << text;
  }
}

TEST(TextToolCallsTest, ABrokenCallIsReportedAndNeverAnAnswer) {
  for (const char* text : {"<tool_call>{\"name\": \"file_read\", \"argum", "<tool_call>",
                           "<function=file_read>\n<parameter=path>", "[TOOL_CALLS]file_read"}) {
    const auto read = ReadTextToolCalls(text, Tools());
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_TRUE(read->calls.empty());
    EXPECT_NE(read->unparsable, "");
  }
}

TEST(TextToolCallsTest, AServedModelsTextIsReadUnderAutoAndNotUnderNative) {
  const std::string chunk =
      R"({"choices":[{"delta":{"content":"<tool_call>{\"name\":\"file_read\",\"arguments\":{\"path\":\"a\"}}</tool_call>"},"finish_reason":"stop"}]})";
  ServedModel served("vllm:m", {StreamReply({Sse({chunk, "[DONE]"})})});
  const auto reply = served.Ask(SimpleRequest());
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tool_calls.size(), 1u);
  EXPECT_NE(reply->tool_calls[0].id, "");
  ServedModel native("vllm:m", {StreamReply({Sse({chunk, "[DONE]"})})}, "native");
  EXPECT_TRUE(native.Ask(SimpleRequest())->tool_calls.empty());
}

}  // namespace
}  // namespace stile

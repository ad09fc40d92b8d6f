#include "runtime/model/text_reply_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "runtime/model/relaxed_json.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Calls as "name{arguments}", or "name!" when malformed.
std::vector<std::string> Calls(const TextReply& reply) {
  std::vector<std::string> calls;
  for (const ToolCall& call : reply.calls) {
    calls.push_back(call.name + (call.malformed.empty() ? DumpJson(call.arguments) : "!"));
  }
  return calls;
}

std::vector<std::string> ReAct(absl::string_view text) {
  return Calls(ParseTextReply(text, TextForm::kReAct, false));
}

std::vector<std::string> InJson(absl::string_view text) {
  return Calls(ParseTextReply(text, TextForm::kJson, false));
}

TEST(TextReplyParserTest, ReadsTheForm) {
  const TextReply reply =
      ParseTextReply("Thought: I look.\nAction: file.read\nAction Input: {\"path\": \"a.cc\"}",
                     TextForm::kReAct, false);
  EXPECT_THAT(Calls(reply), ElementsAre("file.read{\"path\":\"a.cc\"}"));
  EXPECT_EQ(reply.thought, "I look.");
  EXPECT_EQ(reply.unparsable, "");
}

TEST(TextReplyParserTest, ReadsTheWaysModelsWriteTheForm) {
  const char* expected = "file.read{\"path\":\"a\"}";
  for (const char* text : {
           "Action: file.read\nAction Input: {\"path\": \"a\"}",
           "action: file.read\naction input: {\"path\": \"a\"}\n\nI will wait.",
           "**Action:** `file.read`\n**Action Input:** {\"path\": \"a\"}",
           "### Action: file.read\n### Action_Input: {\"path\": \"a\"}",
           "Action: file.read\nAction Input:\n```json\n{\n  \"path\": \"a\"\n}\n```\nDone for now.",
           "```\nThought: x\nAction: file.read\nAction Input: {\"path\": \"a\"}\n```",
           "Action: file.read\r\nAction Input: {\"path\": \"a\"}\r\n",
           "Action: file.read\nAction Input: {'path': 'a',}",
           "Action: file.read({\"path\": \"a\"})",
           "Action: file.read {\"path\": \"a\"}",
           "Action: file.read\n{\"path\": \"a\"}",
           "Action: [file.read]\nAction Input: {\"path\": \"a\"}",
           "Some words first.\nAction: \"file.read\"\nAction Input: {\"path\": \"a\"} and then we "
           "see",
           "{\"thought\": \"t\", \"action\": \"file.read\", \"action_input\": {\"path\": \"a\"}}",
       }) {
    EXPECT_THAT(ReAct(text), ElementsAre(expected)) << text;
  }
}

TEST(TextReplyParserTest, FinalAnswerIsAFinish) {
  EXPECT_THAT(ReAct("Thought: done\nFinal Answer: All good.\nAction: is a word here"),
              ElementsAre("finish{\"answer\":\"All good.\\nAction: is a word here\"}"));
  EXPECT_THAT(ReAct("Action: Final Answer\nAction Input: All good."),
              ElementsAre("finish{\"answer\":\"All good.\"}"));
  EXPECT_THAT(ReAct("Action: finish\nAction Input: {\"answer\": \"x\", \"status\": \"gave_up\"}"),
              ElementsAre("finish{\"answer\":\"x\",\"status\":\"gave_up\"}"));
  EXPECT_THAT(ReAct("Action: None\nFinal Answer: x"), ElementsAre("finish{\"answer\":\"x\"}"));
}

TEST(TextReplyParserTest, SeveralActionsAreSeveralCalls) {
  EXPECT_THAT(
      ReAct("Action: a\nAction Input: {\"x\": 1}\nThought: and\nAction: b\nAction Input: {}"),
      ElementsAre("a{\"x\":1}", "b{}"));
  EXPECT_THAT(ReAct("Action: a\nAction Input: {}\nFinal Answer: y"),
              ElementsAre("a{}", "finish{\"answer\":\"y\"}"));
}

TEST(TextReplyParserTest, WhatFollowsAMadeUpObservationIsCutOff) {
  const TextReply reply = ParseTextReply(
      "Action: a\nAction Input: {}\nObservation: it works\nThought: so\nFinal Answer: done",
      TextForm::kReAct, false);
  EXPECT_THAT(Calls(reply), ElementsAre("a{}"));
  EXPECT_EQ(reply.kept, "Action: a\nAction Input: {}");
  EXPECT_THAT(ReAct("Action: a\nAction Input: {} Observation: fine\nFinal Answer: done"),
              ElementsAre("a{}"));
  EXPECT_THAT(ReAct("Final Answer: yes\nObservation: made up"),
              ElementsAre("finish{\"answer\":\"yes\"}"));
}

TEST(TextReplyParserTest, LabelsInsideStringsAreText) {
  EXPECT_THAT(
      ReAct("Action: file.write\nAction Input: {\"content\": \"x\nAction: b\nObservation: c\n"
            "Final Answer: d\"}"),
      ElementsAre("file.write{\"content\":\"x\\nAction: b\\nObservation: c\\nFinal Answer: d\"}"));
}

TEST(TextReplyParserTest, UnreadableInputIsMalformedAndNeverGuessed) {
  for (const char* text :
       {"Action: a\nAction Input: {\"x\": ", "Action: a\nAction Input: src/main.cc",
        "Action: a\nAction Input: {x: 1}", "Action: a\nAction Input: [1, 2]",
        "Action: a\nAction Input: {\"x\": 1 \"y\": 2}", "Action: run the tests now"}) {
    const TextReply reply = ParseTextReply(text, TextForm::kReAct, false);
    ASSERT_EQ(reply.calls.size(), 1u) << text;
    EXPECT_THAT(reply.calls[0].malformed, HasSubstr("JSON object")) << text;
    EXPECT_EQ(reply.calls[0].arguments, Json::object());
  }
}

TEST(TextReplyParserTest, AReplyWithoutActionShowsTheFormAndIsNoFinish) {
  for (const char* text : {"", "  \n", "I am done, everything works.", "Thought: done.",
                           "Observation: ok", "{\"name\": \"package\", \"version\": \"1\"}",
                           "Action:\nAction Input: {}", "Action Input: {\"x\": 1}", "{{{{[[[["}) {
    for (const TextForm form : {TextForm::kReAct, TextForm::kJson}) {
      const TextReply reply = ParseTextReply(text, form, false);
      EXPECT_THAT(reply.calls, IsEmpty()) << text;
      EXPECT_THAT(reply.unparsable,
                  HasSubstr(form == TextForm::kReAct ? "Action Input:" : "\"action_input\""));
      EXPECT_EQ(reply.kept, text);
    }
  }
}

TEST(TextReplyParserTest, AnAnswerCutOffByTheLengthIsNoFinish) {
  const TextReply reply = ParseTextReply("Final Answer: the first", TextForm::kReAct, true);
  EXPECT_THAT(reply.calls, IsEmpty());
  EXPECT_THAT(reply.unparsable, HasSubstr("cut off"));
  EXPECT_THAT(
      Calls(ParseTextReply("Action: a\nAction Input: {}\nFinal Answer: t", TextForm::kReAct, true)),
      ElementsAre("a{}"));
}

TEST(TextReplyParserTest, ReadsTheWaysModelsWriteTheJsonForm) {
  const char* expected = "file.read{\"path\":\"a\"}";
  for (
      const char* text : {
          R"({"thought": "t", "action": "file.read", "action_input": {"path": "a"}})",
          "```json\n{\"action\": \"file.read\", \"action_input\": {\"path\": \"a\"}}\n```\nThat is "
          "it.",
          "I use {curly} braces: {\"action\": \"file.read\", \"action_input\": {\"path\": \"a\"}}",
          "{'action': 'file.read', 'action_input': {'path': 'a'}}",
          R"({"action": "file.read", "action_input": "{\"path\": \"a\"}"})",
          R"({"action": {"name": "file.read", "arguments": {"path": "a"}}})",
          R"({"name": "file.read", "arguments": {"path": "a"}})",
          R"([{"tool": "file.read", "args": {"path": "a"}}])",
          R"({"thought": "x", "actions": [{"action": "file.read", "action_input": {"path": "a"}}]})",
          "Action: file.read\nAction Input: {\"path\": \"a\"}",
      }) {
    EXPECT_THAT(InJson(text), ElementsAre(expected)) << text;
  }
  EXPECT_THAT(InJson(R"({"action": "finish", "action_input": {"answer": "x"}})"),
              ElementsAre("finish{\"answer\":\"x\"}"));
  EXPECT_THAT(InJson(R"({"thought": "t", "final_answer": "x"})"),
              ElementsAre("finish{\"answer\":\"x\"}"));
  EXPECT_THAT(InJson(R"({"action": "a"} {"action": "b", "action_input": null})"),
              ElementsAre("a{}", "b{}"));
}

TEST(TextReplyParserTest, JsonAfterAMadeUpObservationIsCutOff) {
  EXPECT_THAT(InJson("{\"action\": \"a\"}\nObservation: ok\n{\"action\": \"finish\", "
                     "\"action_input\": {\"answer\": \"x\"}}"),
              ElementsAre("a{}"));
  EXPECT_THAT(InJson(R"({"action": "a"} {"observation": "ok"} {"action": "finish"})"),
              ElementsAre("a{}"));
}

TEST(TextReplyParserTest, HugeHostileRepliesEnd) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "Action: a\nAction Input: {\"x\": \n";
  ParseTextReply(text, TextForm::kReAct, false);
  ParseTextReply(text, TextForm::kJson, false);
  ParseTextReply(std::string(1'000'000, '{'), TextForm::kJson, false);
  ParseTextReply(std::string(1'000'000, '\n'), TextForm::kReAct, false);
}

TEST(RelaxedJsonTest, AcceptsWhatHasOneMeaningOnly) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a": [1, {"b": null}]} rest)", R"({"a":[1,{"b":null}]})"},
      {"{'a': 'it\\'s', \"b\": 'say \"x\"'}", R"({"a":"it's","b":"say \"x\""})"},
      {"{\"a\": \"line\nbreak\ttab\"}", R"({"a":"line\nbreak\ttab"})"},
      {"{\"a\": True, \"b\": False, \"c\": None, \"d\": [1, ], }",
       R"({"a":true,"b":false,"c":null,"d":[1]})"},
  };
  for (const auto& [text, strict] : cases) {
    const auto json = ParseRelaxedJson(text);
    ASSERT_TRUE(json.has_value()) << text;
    EXPECT_EQ(DumpJson(json->value), strict);
  }
  EXPECT_EQ(ParseRelaxedJson(R"({"a": 1} rest)")->end, 8u);
  for (const char* text : {"", "x", "{", "{a: 1}", "{\"a\": }", "{\"a\": \"x}", "{]", "[1 2]"}) {
    EXPECT_FALSE(ParseRelaxedJson(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace stile

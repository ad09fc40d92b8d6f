#include "runtime/model/sampling_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/base/clock.h"

namespace stile {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Message Of(Role role, std::string text) {
  Message message;
  message.role = role;
  message.text = std::move(text);
  return message;
}

class SamplingModelTest : public testing::Test {
 protected:
  // What the model makes of `result`; params_ gets what was asked.
  absl::StatusOr<ModelReply> Ask(absl::StatusOr<Json> result, bool has_tools = false,
                                 absl::string_view hint = "") {
    Sampling sampling;
    sampling.has_tools = has_tools;
    sampling.create_message = [this, result](const Json& params) {
      params_ = params;
      return result;
    };
    const auto model = NewSamplingModel(sampling, hint);
    if (!model.ok()) return model.status();
    return (*model)->Complete(request_, nullptr, nullptr);
  }

  ModelRequest request_;
  Json params_;
};

TEST_F(SamplingModelTest, TextGoesBothWays) {
  request_.messages = {Of(Role::kSystem, "Be brief."), Of(Role::kUser, "Hello")};
  request_.max_output_tokens = 100;
  request_.temperature = 0.5;
  const auto reply = Ask(Json{{"role", "assistant"},
                              {"content", {{"type", "text"}, {"text", "Hi"}}},
                              {"model", "m"},
                              {"stopReason", "endTurn"}},
                         false, "fast");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->text, "Hi");
  EXPECT_EQ(reply->finish_reason, FinishReason::kStop);
  EXPECT_EQ(
      params_,
      Json({{"messages", {{{"role", "user"}, {"content", {{"type", "text"}, {"text", "Hello"}}}}}},
            {"maxTokens", 100},
            {"temperature", 0.5},
            {"systemPrompt", "Be brief."},
            {"includeContext", "none"},
            {"modelPreferences", {{"hints", Json::array({{{"name", "fast"}}})}}}}));
}

TEST_F(SamplingModelTest, ToolsGoBothWaysWhereTheHostTakesThem) {
  Message call = Of(Role::kAssistant, "");
  call.tool_calls.push_back({"1", "file.read", {{"path", "a"}}, ""});
  call.tool_calls.push_back({"2", "file.read", {{"path", "b"}}, ""});
  Message first = Of(Role::kTool, "A");
  first.tool_call_id = "1";
  Message second = Of(Role::kTool, "gone");
  second.tool_call_id = "2";
  second.is_error = true;
  request_.messages = {Of(Role::kUser, "Read"), call, first, second};
  request_.tools = {{"file.read", "Reads", {{"type", "object"}}}};
  const auto reply = Ask(Json{{"content", Json::array({{{"type", "text"}, {"text", "Now"}},
                                                       {{"type", "tool_use"},
                                                        {"id", "3"},
                                                        {"name", "file_read"},
                                                        {"input", {{"path", "c"}}}}})},
                              {"stopReason", "toolUse"}},
                         /*has_tools=*/true);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->finish_reason, FinishReason::kToolCalls);
  ASSERT_THAT(reply->tool_calls, SizeIs(1));
  EXPECT_EQ(reply->tool_calls[0].arguments["path"], "c");
  EXPECT_EQ(params_["tools"][0]["name"], "file_read");
  ASSERT_THAT(params_["messages"], SizeIs(3));
  // All results of one reply stand in one message, and nothing else does.
  const Json& results = params_["messages"][2];
  EXPECT_EQ(results["role"], "user");
  ASSERT_THAT(results["content"], SizeIs(2));
  EXPECT_EQ(results["content"][1]["toolUseId"], "2");
  EXPECT_EQ(results["content"][1]["isError"], true);
}

TEST_F(SamplingModelTest, OtherContentAndErrorsNameTheAlternative) {
  request_.messages = {Of(Role::kUser, "Hello")};
  const auto audio = Ask(Json{{"content", {{"type", "audio"}, {"data", ""}}}});
  EXPECT_TRUE(absl::IsDataLoss(audio.status()));
  EXPECT_THAT(std::string(audio.status().message()),
              HasSubstr("replied with audio, where only text and tool calls can be used; choose a "
                        "model of a provider instead"));
  for (const Json& wrong : {Json(), Json(3), Json{{"content", 3}}, Json{{"content", nullptr}},
                            Json{{"content", Json::array({3})}}}) {
    EXPECT_TRUE(absl::IsDataLoss(Ask(wrong).status())) << wrong;
  }
  const auto refused = Ask(absl::PermissionDeniedError("the user of the MCP host refused: no"));
  EXPECT_TRUE(absl::IsPermissionDenied(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("choose a model of a provider"));
  const auto cut =
      Ask(Json{{"content", {{"type", "text"}, {"text", "Hi"}}}, {"stopReason", "maxTokens"}});
  EXPECT_EQ(cut->finish_reason, FinishReason::kLength);
}

TEST_F(SamplingModelTest, WithoutAHostThereIsNoSuchModel) {
  ModelSettings settings;
  settings.model = "sampling:";
  const auto model = NewChatModel(settings, {}, SystemClock());
  EXPECT_TRUE(absl::IsInvalidArgument(model.status()));
  EXPECT_THAT(std::string(model.status().message()), HasSubstr("choose a model of a provider"));
  settings.sampling.create_message = [](const Json&) { return Json(); };
  EXPECT_TRUE(NewChatModel(settings, {}, SystemClock()).ok());
  settings.model = "sampling:claude";
  EXPECT_EQ((*NewChatModel(settings, {}, SystemClock()))->info().provider, "sampling");
}

}  // namespace
}  // namespace stile

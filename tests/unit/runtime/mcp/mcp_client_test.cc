#include "runtime/mcp/mcp_client.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/text.h"
#include "runtime/mcp/mcp_message.h"

namespace stile {
namespace {

using testing::HasSubstr;

// What a server answers, by method and in turn; the last answer is given again and again.
struct Script {
  std::map<std::string, std::deque<absl::StatusOr<Json>>> answers;
  std::vector<std::pair<std::string, Json>> calls;
  JsonRpcHandlers handlers;
  // Before the answer to a call: what the server sends meanwhile.
  std::function<void()> meanwhile;
};

class FakeChannel : public JsonRpcChannel {
 public:
  explicit FakeChannel(Script* script) : script_(*script) {}

  absl::StatusOr<Json> Call(absl::string_view method, Json params, absl::Duration) override {
    const std::string name(method);
    script_.calls.emplace_back(name, std::move(params));
    if (script_.meanwhile) script_.meanwhile();
    auto& left = script_.answers[name];
    if (left.empty()) {
      return RpcErrorStatus({{"code", -32601}, {"message", absl::StrCat("no ", name)}});
    }
    absl::StatusOr<Json> answer = left.front();
    if (left.size() > 1) left.pop_front();
    return answer;
  }
  void Notify(absl::string_view method, Json params) override {
    script_.calls.emplace_back(method, std::move(params));
  }
  const absl::Status& status() const override { return status_; }

 private:
  Script& script_;
  absl::Status status_;
};

class McpClientTest : public testing::Test {
 protected:
  McpClientTest() {
    Answer("initialize", {{"protocolVersion", "2025-06-18"},
                          {"capabilities", {{"tools", Json::object()}}},
                          {"serverInfo", {{"name", "fake"}}}});
  }
  void Answer(const std::string& method, Json answer) {
    script_.answers[method].push_back(std::move(answer));
  }
  absl::Status Connect(McpClientHost host = {"/ws", nullptr}) {
    auto client = McpClient::Connect(
        [this](JsonRpcHandlers handlers) -> absl::StatusOr<std::unique_ptr<JsonRpcChannel>> {
          script_.handlers = std::move(handlers);
          return std::make_unique<FakeChannel>(&script_);
        },
        std::move(host), absl::Seconds(5));
    if (!client.ok()) return client.status();
    client_ = *std::move(client);
    return absl::OkStatus();
  }

  Script script_;
  std::unique_ptr<McpClient> client_;
};

TEST_F(McpClientTest, ShakesHandsAndListsPages) {
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(script_.calls[1].first, "notifications/initialized");
  const Json tool = {{"name", "a"}, {"inputSchema", {{"type", "object"}}}};
  Answer("tools/list",
         Json{{"tools", {tool, 7, {{"description", "no name"}}}}, {"nextCursor", "2"}});
  Answer("tools/list", Json{{"tools", {{{"name", "b"}, {"inputSchema", "none"}}}}});
  const auto tools = client_->ListTools(absl::Seconds(5));
  ASSERT_TRUE(tools.ok()) << tools.status();
  ASSERT_EQ(tools->size(), 2U);
  EXPECT_EQ((*tools)[1].name, "b");
  EXPECT_EQ((*tools)[1].input_schema["type"], "object");
  EXPECT_TRUE(client_->ListResources(absl::Seconds(5))->empty());
}

TEST_F(McpClientTest, ACursorThatComesAgainEndsTheList) {
  ASSERT_TRUE(Connect().ok());
  Answer("tools/list", Json{{"tools", {{{"name", "a"}}}}, {"nextCursor", "x"}});
  EXPECT_EQ(client_->ListTools(absl::Seconds(5))->size(), 2U);
}

TEST_F(McpClientTest, AServerWithoutHandshakeIsDiscovered) {
  script_.answers["initialize"] = {RpcErrorStatus({{"code", -32022}, {"message", "unsupported"}})};
  Answer("server/discover", {{"supportedVersions", {kStatelessRevision}},
                             {"capabilities", {{"tools", Json::object()}}}});
  ASSERT_TRUE(Connect().ok());
  Answer("tools/list", {{"tools", Json::array()}, {"resultType", "complete"}});
  EXPECT_TRUE(client_->ListTools(absl::Seconds(5))->empty());
  EXPECT_EQ(script_.calls.back().second["_meta"][kMetaRevision], kStatelessRevision);
}

TEST_F(McpClientTest, SaysWhyAServerIsOfNoUse) {
  script_.answers["initialize"] = {Json{{"protocolVersion", "1999-01-01"}}};
  EXPECT_THAT(Connect().message(), HasSubstr("it speaks revision '1999-01-01'"));
  script_.answers["initialize"] = {RpcErrorStatus({{"code", -32000}, {"message", "no licence"}})};
  EXPECT_THAT(Connect().message(), HasSubstr("no licence"));
  script_.answers["initialize"] = {absl::UnavailableError("it ended")};
  EXPECT_EQ(Connect().message(), "it ended");
}

TEST_F(McpClientTest, AnswersWhatTheServerHasToKnowFirst) {
  script_.answers["initialize"] = {RpcErrorStatus({{"code", -32601}, {"message", "no"}})};
  Answer("server/discover", {{"supportedVersions", {kStatelessRevision}}});
  McpClientHost host;
  host.on_elicit = [](const Json&) { return Json{{"action", "decline"}}; };
  ASSERT_TRUE(Connect(std::move(host)).ok());
  Answer("tools/call", {{"resultType", "input_required"},
                        {"requestState", "s"},
                        {"inputRequests",
                         {{"k", {{"method", "elicitation/create"}, {"params", Json::object()}}}}}});
  Answer("tools/call", {{"content", {{{"type", "text"}, {"text", "thanks"}}}}});
  const auto answer = client_->CallTool("t", Json::object(), nullptr, absl::Seconds(5));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->text, "thanks");
  EXPECT_EQ(script_.calls.back().second["inputResponses"]["k"]["action"], "decline");
  EXPECT_EQ(script_.calls.back().second["requestState"], "s");
  script_.answers["tools/call"] = {
      Json{{"resultType", "input_required"}, {"inputRequests", {{"k", {{"method", "no/such"}}}}}}};
  EXPECT_TRUE(absl::IsUnimplemented(
      client_->CallTool("t", Json::object(), nullptr, absl::Seconds(5)).status()));
  script_.answers["tools/call"] = {Json{{"resultType", "task"}}};
  EXPECT_TRUE(
      absl::IsDataLoss(client_->CallTool("t", Json::object(), nullptr, absl::Seconds(5)).status()));
}

TEST_F(McpClientTest, ReadsAllKindsOfContent) {
  ASSERT_TRUE(Connect().ok());
  const std::string png("\x89PNG\r\n\x1a\n", 8);
  Answer("tools/call",
         {{"structuredContent", {{"n", 1}}},
          {"content",
           {{{"type", "text"}, {"text", "one"}},
            {{"type", "image"}, {"mimeType", "image/png"}, {"data", Base64Encode(png)}},
            {{"type", "image"}, {"mimeType", "image/png"}, {"data", "%"}},
            {{"type", "resource_link"}, {"name", "r"}, {"uri", "a://b"}},
            {{"type", "resource"}, {"resource", {{"uri", "c://d"}, {"text", "in it"}}}},
            {{"type", "hologram"}},
            "no object"}}});
  const auto answer = client_->CallTool("t", Json::object(), nullptr, absl::Seconds(5));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->text,
            "one\n[image image/png, 8 bytes]\n[image image/png, 0 bytes, not shown]\n[resource r: "
            "a://b]\n[resource c://d]\nin it\n[content of type hologram, not shown]\n[content of "
            "type , not shown]");
  EXPECT_EQ(answer->pictures.size(), 1U);
  EXPECT_EQ(answer->structured, Json({{"n", 1}}));
}

TEST_F(McpClientTest, TellsOfItsOwnProgressAlone) {
  ASSERT_TRUE(Connect().ok());
  std::string heard;
  script_.meanwhile = [this] {
    for (const Json& token : {Json(1), Json(2), Json("1")}) {
      script_.handlers.on_notification("notifications/progress",
                                       {{"progressToken", token}, {"progress", 3}, {"total", 4}});
    }
    script_.handlers.on_notification("notifications/progress", nullptr);
  };
  Answer("tools/call", {{"content", Json::array()}});
  EXPECT_TRUE(client_
                  ->CallTool(
                      "t", Json::object(),
                      [&](absl::string_view text) { absl::StrAppend(&heard, text); },
                      absl::Seconds(5))
                  .ok());
  EXPECT_EQ(heard, "3 of 4\n");
}

TEST_F(McpClientTest, AnswersRequestsOfTheServer) {
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(script_.handlers.on_request("roots/list", nullptr)->at("roots")[0]["uri"],
            "file:///ws");
  EXPECT_EQ(script_.handlers.on_request("ping", nullptr).value_or(Json(1)), Json::object());
  EXPECT_EQ(script_.handlers.on_request("elicitation/create", nullptr)->at("action"), "decline");
  EXPECT_TRUE(absl::IsUnimplemented(
      script_.handlers.on_request("sampling/createMessage", nullptr).status()));
}

}  // namespace
}  // namespace stile

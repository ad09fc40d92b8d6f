#include "runtime/mcp/mcp_http_channel.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/mcp/mcp_message.h"

namespace stile {
namespace {

using testing::HasSubstr;

struct Scripted {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
  absl::Status failure;
};

// What a server got, and what it answers next; an accepted notification when nothing is left.
struct Server {
  std::deque<Scripted> answers;
  std::vector<HttpRequest> requests;
};

class FakeClient : public HttpClient {
 public:
  explicit FakeClient(Server* server) : server_(server) {}

  absl::StatusOr<HttpResponse> Run(const HttpRequest& request) override {
    server_->requests.push_back(request);
    Scripted answer{202, "", "", {}, {}};
    if (!server_->answers.empty()) {
      answer = server_->answers.front();
      server_->answers.pop_front();
    }
    if (!answer.failure.ok()) return answer.failure;
    HttpResponse response{answer.status, answer.headers, ""};
    response.headers["content-type"] = answer.type;
    if (request.on_headers) request.on_headers(answer.status, response.headers);
    if (answer.status / 100 != 2 || !request.on_body) {
      response.body = answer.body;
      return response;
    }
    // In pieces, as a network gives them.
    for (size_t at = 0; at < answer.body.size(); at += 7) {
      if (!request.on_body(answer.body.substr(at, 7))) return absl::AbortedError("ended");
      if (request.body_complete && request.body_complete()) break;
    }
    return response;
  }

 private:
  Server* const server_;
};

class McpHttpChannelTest : public testing::Test {
 protected:
  JsonRpcChannel& Open() {
    JsonRpcHandlers handlers;
    handlers.on_request = [this](const std::string& method, const Json&) {
      asked_.push_back(method);
      return absl::StatusOr<Json>(Json{{"roots", Json::array()}});
    };
    handlers.on_notification = [this](const std::string& method, const Json&) {
      told_.push_back(method);
    };
    channel_ = std::make_unique<McpHttpChannel>(
        McpHttpChannel::Server{"http://h/mcp", {{"Authorization", "Bearer x"}}},
        [this] { return std::make_unique<FakeClient>(&server_); }, std::move(handlers), nullptr);
    return *channel_;
  }
  void Answer(int status, const std::string& body, const std::string& type = "application/json") {
    server_.answers.push_back({status, type, body, {}, {}});
  }
  absl::StatusOr<Json> Call(const std::string& method, Json params = Json::object()) {
    return channel_->Call(method, std::move(params), absl::Seconds(5));
  }

  Server server_;
  std::vector<std::string> asked_;
  std::vector<std::string> told_;
  std::unique_ptr<McpHttpChannel> channel_;
};

TEST_F(McpHttpChannelTest, KeepsTheSessionAndTheRevision) {
  Open();
  server_.answers.push_back(
      {200,
       "application/json",
       R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})",
       {{"mcp-session-id", "s1"}},
       {}});
  ASSERT_TRUE(Call("initialize").ok());
  Answer(200, R"({"jsonrpc":"2.0","id":2,"result":{"tools":[]}})");
  EXPECT_EQ(Call("tools/list").value_or(Json()), Json({{"tools", Json::array()}}));
  EXPECT_EQ(server_.requests[1].headers.at("Mcp-Session-Id"), "s1");
  EXPECT_EQ(server_.requests[1].headers.at("MCP-Protocol-Version"), "2025-06-18");
  EXPECT_EQ(server_.requests[1].headers.at("Authorization"), "Bearer x");
  channel_.reset();
  EXPECT_EQ(server_.requests.back().method, "DELETE");
}

TEST_F(McpHttpChannelTest, ReadsStreamsAndAnswersWhatTheyAsk) {
  Open();
  Answer(200,
         ": keep-alive\n\nevent: message\ndata: \n\n"
         "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n"
         "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\n"
         "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":0}\n\n"
         "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}\n\n",
         "text/event-stream; charset=utf-8");
  EXPECT_EQ(Call("tools/call").value_or(Json()), Json({{"ok", true}}));
  EXPECT_THAT(told_, testing::ElementsAre("notifications/progress"));
  EXPECT_THAT(asked_, testing::ElementsAre("roots/list"));
  const Json reply = ParseJson(server_.requests[1].body).value_or(Json());
  EXPECT_EQ(reply["id"], Json("q"));
  EXPECT_TRUE(reply.contains("result"));
}

TEST_F(McpHttpChannelTest, SaysWhyThereIsNoReply) {
  Open();
  Answer(401, "who are you");
  EXPECT_TRUE(absl::IsPermissionDenied(Call("a").status()));
  Answer(500, "<html>\xff</html>", "text/html");
  EXPECT_EQ(Call("a").status().message(), "HTTP status 500: <html>\xef\xbf\xbd</html>");
  Answer(200, "data: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}\n\n", "text/event-stream");
  EXPECT_TRUE(absl::IsDataLoss(Call("a").status()));
  Answer(400, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no such version"}})");
  const absl::Status refused = Call("a").status();
  EXPECT_EQ(JsonInt(RpcErrorOf(refused).value_or(Json()), "code"), -32022);
  EXPECT_TRUE(channel_->status().ok());
}

TEST_F(McpHttpChannelTest, WithdrawsACallThatTookTooLong) {
  Open();
  server_.answers.push_back({0, "", "", {}, absl::DeadlineExceededError("slow")});
  EXPECT_TRUE(absl::IsDeadlineExceeded(Call("tools/call").status()));
  ASSERT_EQ(server_.requests.size(), 2U);
  EXPECT_THAT(server_.requests[1].body, HasSubstr("notifications/cancelled"));
}

TEST_F(McpHttpChannelTest, ABodyThatTricklesEndsWithTheTimeout) {
  Open();
  for (const char* type : {"application/json", "text/event-stream"}) {
    Answer(200, R"({"jsonrpc":"2.0","id":1,"result":{}})", type);
    EXPECT_TRUE(absl::IsDeadlineExceeded(
        channel_->Call("a", Json::object(), absl::ZeroDuration()).status()))
        << type;
    server_.answers.clear();
  }
}

TEST_F(McpHttpChannelTest, IsDoneWhenTheServerHasEndedTheSession) {
  Open();
  server_.answers.push_back({200,
                             "application/json",
                             R"({"jsonrpc":"2.0","id":1,"result":{}})",
                             {{"mcp-session-id", "s1"}},
                             {}});
  ASSERT_TRUE(Call("initialize").ok());
  Answer(404,
         R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}})");
  EXPECT_TRUE(absl::IsUnavailable(Call("tools/list").status()));
  const size_t before = server_.requests.size();
  EXPECT_TRUE(absl::IsUnavailable(Call("tools/list").status()));
  EXPECT_EQ(server_.requests.size(), before);
}

TEST_F(McpHttpChannelTest, HeadersOfTheNewestRevisionSayWhatTheBodyDoes) {
  Open();
  Answer(200, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  Json params = {{"name", "größe"}};
  params["_meta"][kMetaRevision] = kStatelessRevision;
  ASSERT_TRUE(Call("tools/call", params).ok());
  const auto& headers = server_.requests[0].headers;
  EXPECT_EQ(headers.at("MCP-Protocol-Version"), kStatelessRevision);
  EXPECT_EQ(headers.at("Mcp-Method"), "tools/call");
  EXPECT_EQ(headers.at("Mcp-Name"), "=?base64?Z3LDtsOfZQ==?=");
}

}  // namespace
}  // namespace stile

#include "runtime/rpc/json_rpc_peer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/source_folder.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::HasSubstr;

// A peer whose program is tests/support/fake_language_server.py.
class JsonRpcPeerTest : public testing::Test {
 protected:
  JsonRpcPeer& Start(const Json& script) {
    folder_.Write("script.json", DumpJson(script));
    ProcessRequest request;
    request.argv = {"/usr/bin/python3", SourceFolder() + "/tests/support/fake_language_server.py",
                    folder_.Path("script.json")};
    request.env = InheritedEnvironment();
    request.grace = absl::ZeroDuration();
    auto child = ChildProcess::Start(NewLocalProcessRunner(), std::move(request));
    EXPECT_TRUE(child.ok()) << child.status();
    JsonRpcHandlers handlers;
    handlers.on_request = [this](const std::string& method, const Json&) {
      requests_.push_back(method);
      return absl::StatusOr<Json>(Json{{"applied", false}});
    };
    handlers.on_notification = [](const std::string&, const Json&) {};
    peer_ = std::make_unique<JsonRpcPeer>(*std::move(child), LspDialect(), std::move(handlers),
                                          [this] { return &cancellation_; });
    return *peer_;
  }

  absl::StatusOr<Json> Call(const std::string& method) {
    return peer_->Call(method, Json::object(), absl::Seconds(60));
  }

  TempDir folder_;
  Cancellation cancellation_;
  std::vector<std::string> requests_;
  std::unique_ptr<JsonRpcPeer> peer_;
};

TEST_F(JsonRpcPeerTest, CallsAndTakesErrors) {
  Start({{"answers", {{"a", {1, 2}}}},
         {"errors",
          {{"b", {{"code", -32601}, {"message", "no b"}}},
           {"c", {{"code", -32600}, {"message", "bad c"}}},
           {"d", {{"code", -1}, {"message", "not today"}}}}}});
  EXPECT_EQ(Call("a").value_or(Json()), Json({1, 2}));
  EXPECT_EQ(Call("unanswered").value_or(Json(1)), Json());
  EXPECT_TRUE(absl::IsUnimplemented(Call("b").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Call("c").status()));
  const absl::Status refused = Call("d").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_EQ(refused.message(), "not today");
  EXPECT_EQ(JsonInt(RpcErrorOf(refused).value_or(Json()), "code"), -1);
  EXPECT_EQ(Call("a").value_or(Json()), Json({1, 2}));
}

TEST_F(JsonRpcPeerTest, AnswersWhatThePeerAsks) {
  Start({{"answers", {{"a", 7}}}, {"on", {{"a", "ask"}}}});
  // The peer's request has the id of the call that waits.
  EXPECT_EQ(Call("a").value_or(Json()), Json(7));
  EXPECT_THAT(requests_, testing::ElementsAre("workspace/applyEdit"));
  ASSERT_TRUE(Call("b").ok());
  EXPECT_THAT(folder_.Read("script.json.log"), HasSubstr(R"("result": {"applied": false})"));
}

TEST_F(JsonRpcPeerTest, GivesUpAPeerThatHangs) {
  Start({{"on", {{"a", "hang"}}}});
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(peer_->Call("a", Json::object(), absl::Milliseconds(300)).status()));
  EXPECT_TRUE(peer_->status().ok());
}

TEST_F(JsonRpcPeerTest, DoesNotWaitForTheRestOfAMessage) {
  Start({{"on", {{"a", "stall"}}}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(absl::IsDeadlineExceeded(
        peer_->Call("a", Json::object(), absl::Milliseconds(500)).status()));
  }
}

TEST_F(JsonRpcPeerTest, IsCancelled) {
  Start({{"on", {{"a", "hang"}}}});
  cancellation_.Cancel();
  EXPECT_TRUE(absl::IsCancelled(Call("a").status()));
}

TEST_F(JsonRpcPeerTest, SaysWhyAPeerIsOfNoMoreUse) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"die", "exit status 3"},
      {"garbage", "no usable Content-Length"},
      {"half", "it ended"},
      {"huge", "no usable Content-Length"},
      {"flood", "requests without end"}};
  for (const auto& [fault, reason] : faults) {
    SCOPED_TRACE(fault);
    Start({{"on", {{"a", fault}}}});
    const absl::Status status = Call("a").status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(reason));
    EXPECT_EQ(Call("b").status(), status);
  }
}

}  // namespace
}  // namespace stile

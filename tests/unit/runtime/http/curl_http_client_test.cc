#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "runtime/http/http_client.h"
#include "tests/support/fault_http_server.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CurlHttpClientTest, SendsTheRequestAndReturnsTheWholeAnswer) {
  FaultReply reply = JsonReply(404, "");
  reply.headers.push_back({"X-Mixed-Case", "  value  "});
  reply.pieces = {"no ", "such thing"};
  FaultHttpServer server({reply});
  HttpRequest request;
  request.url = server.url() + "/path?q=1";
  request.headers = {{"X-One", "1"}};
  request.body = std::string(3'000'000, 'b');
  const auto response = NewCurlHttpClient()->Run(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->headers.at("x-mixed-case"), "value");
  EXPECT_EQ(response->body, "no such thing");
  const ReceivedRequest received = server.requests().at(0);
  EXPECT_EQ(received.method, "POST");
  EXPECT_EQ(received.target, "/path?q=1");
  EXPECT_EQ(received.headers.at("x-one"), "1");
  EXPECT_EQ(received.headers.count("expect"), 0u);
  EXPECT_EQ(received.body.size(), 3'000'000u);
}

TEST(CurlHttpClientTest, KeepsItsConnectionAcrossRequests) {
  FaultHttpServer server({JsonReply(200, "1"), JsonReply(500, "2"), JsonReply(200, "3")});
  const auto client = NewCurlHttpClient();
  HttpRequest request;
  request.url = server.url();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client->Run(request).ok());
  EXPECT_EQ(server.connection_count(), 1);
}

TEST(CurlHttpClientTest, StreamsTheBodyAfterTheHeaders) {
  FaultHttpServer server({StreamReply({"one", "two"})});
  HttpRequest request;
  request.url = server.url();
  std::string seen;
  request.on_headers = [&](int status, const auto& headers) {
    seen += std::to_string(status) + headers.at("content-type") + ":";
  };
  request.on_body = [&](absl::string_view piece) {
    seen.append(piece.data(), piece.size());
    return true;
  };
  const auto response = NewCurlHttpClient()->Run(request);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(seen, "200text/event-stream:onetwo");
  EXPECT_EQ(response->body, "");
}

TEST(CurlHttpClientTest, KeepsTheBodyOfAnErrorFromTheStream) {
  FaultHttpServer server({JsonReply(429, "slow down")});
  HttpRequest request;
  request.url = server.url();
  request.on_body = [](absl::string_view) { return false; };
  const auto response = NewCurlHttpClient()->Run(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "slow down");
}

TEST(CurlHttpClientTest, AReaderCanEndTheExchange) {
  FaultReply reply = StreamReply({"enough"});
  reply.stall_at_end = true;
  FaultHttpServer server({reply});
  HttpRequest request;
  request.url = server.url();
  request.on_body = [](absl::string_view) { return false; };
  EXPECT_TRUE(absl::IsAborted(NewCurlHttpClient()->Run(request).status()));
}

// Cancels while the server is silent; passes only if the wait is interrupted.
void CancelsDuring(FaultReply reply) {
  FaultHttpServer server({std::move(reply)});
  Cancellation cancellation;
  std::thread canceller([&] {
    server.WaitForRequests(1);
    cancellation.Cancel();
  });
  HttpRequest request;
  request.url = server.url();
  request.cancellation = &cancellation;
  EXPECT_TRUE(absl::IsCancelled(NewCurlHttpClient()->Run(request).status()));
  canceller.join();
}

TEST(CurlHttpClientTest, CancellationInterruptsTheWaitForAnAnswer) {
  FaultReply reply;
  reply.stall_before_headers = true;
  CancelsDuring(reply);
}

TEST(CurlHttpClientTest, CancellationInterruptsAStalledStream) {
  FaultReply reply = StreamReply({"data: x\n\n"});
  reply.stall_at_end = true;
  CancelsDuring(reply);
}

TEST(CurlHttpClientTest, DoesNotSendWhenCancelledAlready) {
  FaultHttpServer server({});
  Cancellation cancellation;
  cancellation.Cancel();
  HttpRequest request;
  request.url = server.url();
  request.cancellation = &cancellation;
  EXPECT_TRUE(absl::IsCancelled(NewCurlHttpClient()->Run(request).status()));
  EXPECT_EQ(server.connection_count(), 0);
}

TEST(CurlHttpClientTest, WorksAgainAfterACancelledRequest) {
  FaultReply stalled;
  stalled.stall_before_headers = true;
  FaultHttpServer server({stalled, JsonReply(200, "fine")});
  const auto client = NewCurlHttpClient();
  Cancellation cancellation;
  HttpRequest request;
  request.url = server.url();
  request.cancellation = &cancellation;
  std::thread canceller([&] {
    server.WaitForRequests(1);
    cancellation.Cancel();
  });
  EXPECT_TRUE(absl::IsCancelled(client->Run(request).status()));
  canceller.join();
  request.cancellation = nullptr;
  const auto response = client->Run(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "fine");
}

TEST(CurlHttpClientTest, GivesUpOnAServerThatSaysNothing) {
  FaultReply reply = StreamReply({"x"});
  reply.stall_at_end = true;
  FaultHttpServer server({reply, reply});
  HttpRequest request;
  request.url = server.url();
  request.idle_timeout = absl::Milliseconds(50);
  EXPECT_TRUE(absl::IsDeadlineExceeded(NewCurlHttpClient()->Run(request).status()));
  request.idle_timeout = absl::Seconds(100);
  request.timeout = absl::Milliseconds(50);
  EXPECT_TRUE(absl::IsDeadlineExceeded(NewCurlHttpClient()->Run(request).status()));
}

TEST(CurlHttpClientTest, DoesNotInsistOnTheEndOfABodyThatIsComplete) {
  FaultReply stalled = StreamReply({"all"});
  stalled.stall_at_end = true;
  FaultReply broken = StreamReply({"all"});
  broken.break_off = true;
  FaultHttpServer server({stalled, broken});
  HttpRequest request;
  request.url = server.url();
  request.idle_timeout = absl::Milliseconds(50);
  bool complete = false;
  request.on_body = [&](absl::string_view) { return complete = true; };
  request.body_complete = [&] { return complete; };
  const auto client = NewCurlHttpClient();
  EXPECT_TRUE(client->Run(request).ok());
  complete = false;
  EXPECT_TRUE(client->Run(request).ok());
}

TEST(CurlHttpClientTest, ABrokenAnswerIsUnavailable) {
  FaultReply broken = StreamReply({"half"});
  broken.break_off = true;
  FaultReply garbage;
  garbage.raw = "\x01\x02 no http at all\r\n\r\n";
  FaultReply nothing;
  nothing.raw = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort";
  FaultHttpServer server({broken, garbage, nothing});
  const auto client = NewCurlHttpClient();
  HttpRequest request;
  request.url = server.url();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(absl::IsUnavailable(client->Run(request).status())) << "reply " << i;
  }
}

TEST(CurlHttpClientTest, RefusesMoreThanTheBound) {
  FaultReply reply;
  reply.filler_bytes = size_t{100} << 20;
  FaultHttpServer server({reply});
  HttpRequest request;
  request.url = server.url();
  request.max_response_bytes = 1 << 20;
  EXPECT_TRUE(absl::IsResourceExhausted(NewCurlHttpClient()->Run(request).status()));
}

TEST(CurlHttpClientTest, ARefusedConnectionNamesTheUrlWithoutItsSecrets) {
  HttpRequest request;
  request.url = "http://user:secret@127.0.0.1:1/v1?key=hidden";
  const absl::Status status = NewCurlHttpClient()->Run(request).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("http://127.0.0.1:1/v1"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("hidden")));
}

TEST(CurlHttpClientTest, RefusesOtherSchemesAndLineBreaksInHeaders) {
  const auto client = NewCurlHttpClient();
  HttpRequest request;
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/x", "", "127.0.0.1:80"}) {
    request.url = url;
    EXPECT_TRUE(absl::IsInvalidArgument(client->Run(request).status())) << url;
  }
  request.url = "http://127.0.0.1:1/";
  request.headers["X-A"] = "1\r\nX-B: 2";
  EXPECT_TRUE(absl::IsInvalidArgument(client->Run(request).status()));
}

TEST(CurlHttpClientTest, DoesNotFollowRedirects) {
  FaultReply reply = JsonReply(302, "");
  reply.headers.push_back({"Location", "http://127.0.0.1:1/"});
  FaultHttpServer server({reply});
  HttpRequest request;
  request.url = server.url();
  const auto response = NewCurlHttpClient()->Run(request);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 302);
}

}  // namespace
}  // namespace stile

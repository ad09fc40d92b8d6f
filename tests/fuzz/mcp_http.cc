// The MCP server over HTTP: what a peer sends on one connection. The server runs in this program.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include <future>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "agents/mcp/http_server.h"
#include "agents/mcp/mcp_session.h"
#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

constexpr int kPatienceS = 20;  // longer than any wait of the server

stile::McpTool EchoTool() {
  stile::McpTool tool;
  tool.name = "echo";
  tool.input = {{"type", "object"}};
  tool.takes_long = true;
  tool.run = [](const stile::Json& arguments, const stile::McpCall&) {
    return stile::ToolResult::Success(stile::DumpJson(arguments));
  };
  return tool;
}

class Server {
 public:
  Server() : workspaces_({"/nonexistent", {}, {}, {}, false, "0"}), queue_(4) {
    services_ = {&workspaces_, &queue_, &calls_, &tasks_, &watch_, {EchoTool()}};
    std::promise<std::string> ready;
    options_.read_timeout = absl::Milliseconds(20);
    options_.on_ready = [&ready](const std::string& url) { ready.set_value(url); };
    thread_ = std::thread([this] {
      const absl::Status status = stile::ServeHttp(services_, options_, &cancellation_);
      STILE_CHECK(absl::IsCancelled(status));
    });
    const std::string url = ready.get_future().get();  // "http://127.0.0.1:8080/mcp"
    const size_t colon = url.rfind(':');
    STILE_CHECK(absl::SimpleAtoi(url.substr(colon + 1, url.rfind('/') - colon - 1), &port_));
  }
  ~Server() {
    cancellation_.Cancel();
    thread_.join();
  }

  // What the server answers to `bytes` until it closes the connection.
  std::string Ask(absl::string_view bytes) const {
    const int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience = {kPatienceS, 0};
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    STILE_CHECK(connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    while (!bytes.empty()) {
      const ssize_t sent = send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;  // it has heard enough
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    std::string answer;
    char piece[4096];
    ssize_t count = 0;
    while ((count = recv(peer, piece, sizeof(piece), 0)) > 0) {
      answer.append(piece, static_cast<size_t>(count));
    }
    STILE_CHECK(count == 0 || errno == ECONNRESET);  // it did not wait longer than it may
    close(peer);
    return answer;
  }

 private:
  stile::McpWorkspaces workspaces_;
  stile::OpenCalls calls_;
  stile::McpTasks tasks_;
  stile::ResourceWatch watch_{&workspaces_};
  stile::McpServices services_;
  stile::JobQueue queue_;
  stile::HttpOptions options_;
  stile::Cancellation cancellation_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Server server;
  const std::string answer = server.Ask(stile::FuzzInput(data, size).rest());
  STILE_CHECK(answer.empty() || absl::StartsWith(answer, "HTTP/1.1 "));
  // It serves others as before.
  const std::string next = server.Ask("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
  STILE_CHECK(absl::StartsWith(next, "HTTP/1.1 405 "));
  return 0;
}

// The HTTP transport of the Model Context Protocol: each message of this side is a POST, and the
// answer is JSON or a stream of server-sent events.
// Source: https://modelcontextprotocol.io/specification, "Streamable HTTP", revisions 2025-03-26 to
// 2026-07-28.
#ifndef STILE_RUNTIME_MCP_MCP_HTTP_CHANNEL_H_
#define STILE_RUNTIME_MCP_MCP_HTTP_CHANNEL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation_source.h"
#include "runtime/base/json.h"
#include "runtime/http/http_client.h"
#include "runtime/rpc/json_rpc_channel.h"

namespace stile {

// The destructor ends the server's session and may block for 2 s. After a broken connection the
// channel can be used again; after the server ended the session it cannot. Not thread-safe.
class McpHttpChannel : public JsonRpcChannel {
 public:
  struct Server {
    std::string url;                             // http or https
    std::map<std::string, std::string> headers;  // of every request, such as Authorization
  };
  // Each call of `new_client` gives another client: requests of the server are answered while the
  // answer to a call is read.
  McpHttpChannel(Server server, const std::function<std::unique_ptr<HttpClient>()>& new_client,
                 JsonRpcHandlers handlers, CancellationSource cancellation);
  ~McpHttpChannel() override;

  absl::StatusOr<Json> Call(absl::string_view method, Json params, absl::Duration timeout) override;
  void Notify(absl::string_view method, Json params) override;
  const absl::Status& status() const override { return status_; }

 private:
  struct Exchange;
  HttpRequest NewRequest(const Json& message) const;
  absl::StatusOr<Json> Answer(const HttpResponse& response, Exchange* exchange);
  // Takes a message of the server, which may be the reply that `exchange` waits for.
  void Take(const Json& message, Exchange* exchange);
  void Post(const Json& message, const Cancellation* cancellation);
  void RememberSession(const std::map<std::string, std::string>& headers);

  const Server server_;
  const JsonRpcHandlers handlers_;
  const CancellationSource cancellation_;
  const std::unique_ptr<HttpClient> calls_;
  const std::unique_ptr<HttpClient> answers_;  // to the server's requests, and notifications
  absl::Status status_;
  int64_t last_id_ = 0;
  int requests_ = 0;      // of the server
  std::string session_;   // "": none
  std::string revision_;  // that was agreed on; "": none yet
};

}  // namespace stile

#endif  // STILE_RUNTIME_MCP_MCP_HTTP_CHANNEL_H_

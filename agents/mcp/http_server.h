// The server over streamable HTTP: one endpoint, /mcp.
#ifndef STILE_AGENTS_MCP_HTTP_SERVER_H_
#define STILE_AGENTS_MCP_HTTP_SERVER_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agents/mcp/mcp_session.h"
#include "runtime/base/cancellation.h"

namespace stile {

struct HttpAddress {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
};

// Whether only programs of this machine reach the address.
bool IsLoopback(const HttpAddress& address);
// "8080", "127.0.0.1:8080", "[::1]:8080". InvalidArgument: none of these.
absl::StatusOr<HttpAddress> ParseHttpAddress(const std::string& text);

struct HttpOptions {
  HttpAddress address;
  // Peers have to send it as `Authorization: Bearer TOKEN`; "": they need none. Required beyond the
  // loopback.
  std::string token;
  absl::Duration read_timeout = absl::Seconds(10);  // between two pieces of a request
  // Called with the URL once peers can connect.
  std::function<void(const std::string& url)> on_ready;
};

// Serves peers until `cancellation`, then ends what is under way. Peers that shake hands have a
// session by the header Mcp-Session-Id; requests of others stand for themselves. InvalidArgument:
// no token beyond the loopback; Unavailable: the address cannot be taken.
absl::Status ServeHttp(const McpServices& services, const HttpOptions& options,
                       const Cancellation* cancellation);

}  // namespace stile

#endif  // STILE_AGENTS_MCP_HTTP_SERVER_H_

// How a command in the sandbox reaches MCP servers: `stile mcp call` in the command asks the Stile
// that runs it, over a Unix socket, and that Stile makes the request.
#ifndef STILE_AGENTS_API_MCP_RELAY_H_
#define STILE_AGENTS_API_MCP_RELAY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "agents/api/mcp_call.h"
#include "agents/api/session_context.h"
#include "runtime/base/cancellation.h"
#include "runtime/mcp/mcp_servers.h"
#include "runtime/process/local_socket.h"
#include "runtime/sandbox/sandbox.h"

namespace stile {

// The variable of the command that holds the path of the socket.
inline constexpr char kMcpSocketVariable[] = "STILE_MCP_SOCKET";

// Answers the requests of one command, one after the other. Each request has a session of its own
// with the server (see AskMcpServer). Forms of a server are declined.
class McpRelay {
 public:
  // Makes the socket in `folder`, which exists and which the command sees. Pointers are not owned.
  static absl::StatusOr<std::unique_ptr<McpRelay>> Open(const SessionContext* context,
                                                        const std::string& workspace,
                                                        RunSandbox* sandbox,
                                                        const std::string& folder);
  // Cancels the request under way, and waits for its server to end.
  ~McpRelay();

  const std::string& socket() const { return socket_; }

 private:
  McpRelay(const SessionContext* context, const std::string& workspace, RunSandbox* sandbox);
  std::string Answer(const std::string& request);

  const SessionContext& context_;
  Cancellation cancellation_;
  McpServers::Host host_;
  std::string socket_;
  std::unique_ptr<LocalServer> server_;
};

// The side of the command. Errors are those of AskMcpServer; Unavailable: nothing answers at
// `socket`. `cancellation` is not owned and may be null.
absl::StatusOr<McpToolAnswer> AskMcpRelay(const std::string& socket,
                                          const McpServerRequest& request,
                                          const Cancellation* cancellation);

}  // namespace stile

#endif  // STILE_AGENTS_API_MCP_RELAY_H_

// How a command in the sandbox reaches MCP servers: `stile mcp call` in the command asks the Stile
// that runs it, over a Unix socket, and that Stile makes the request.
#ifndef STILE_AGENTS_API_MCP_RELAY_H_
#define STILE_AGENTS_API_MCP_RELAY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/api/mcp_call.h"
#include "agents/api/session_context.h"
#include "runtime/base/cancellation.h"
#include "runtime/mcp/mcp_servers.h"
#include "runtime/process/local_socket.h"
#include "runtime/sandbox/sandbox.h"

namespace stile {

// Which requests a command may make: names "SERVER.TOOL" and "SERVER:URI"; one that ends in "*"
// stands for all that begin so.
using McpScope = std::vector<std::string>;
// The scope that the setting `mcp` of a step gives: "true" is all, "" and "false" is none, else
// names separated by blanks.
McpScope ParseMcpScope(absl::string_view setting);

// Answers the requests of one command, one after the other, on threads of its own. Each request
// has a session of its own with the server (see AskMcpServer), which ends when the peer that asked
// is gone. Forms of a server are declined.
class McpRelay {
 public:
  // Makes the socket in `folder`, which exists and which the command sees. Pointers are not owned.
  static absl::StatusOr<std::unique_ptr<McpRelay>> Open(const SessionContext* context,
                                                        const std::string& workspace,
                                                        RunSandbox* sandbox, McpScope scope,
                                                        const std::string& folder);
  // Cancels the request under way, and waits for its server to end.
  ~McpRelay() = default;

  const std::string& socket() const { return socket_; }

 private:
  McpRelay(const SessionContext* context, std::string workspace, RunSandbox* sandbox,
           McpScope scope)
      : context_(*context),
        workspace_(std::move(workspace)),
        sandbox_(sandbox),
        scope_(std::move(scope)) {}
  std::string Answer(const std::string& request, const Cancellation& cancellation) const;

  const SessionContext& context_;
  const std::string workspace_;
  RunSandbox* const sandbox_;
  const McpScope scope_;
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

// Requests to the MCP servers of the configuration, outside of an agent's run.
#ifndef STILE_AGENTS_API_MCP_CALL_H_
#define STILE_AGENTS_API_MCP_CALL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/api/session_context.h"
#include "runtime/base/json.h"
#include "runtime/mcp/mcp_servers.h"

namespace stile {

struct McpServerRequest {
  std::string server;
  std::string tool;                 // "": the resource is read
  Json arguments = Json::object();  // of the tool
  std::string uri;                  // of the resource
};

// PermissionDenied if a rule of the configuration forbids the request. A rule that says ask allows
// it: the author of the request was asked. `context` needs options only.
absl::Status CheckMcpAllowed(const SessionContext& context, const std::string& workspace,
                             const McpServerRequest& request);

// Checks the rules, starts a session with the server, makes the request and ends the session. Some
// servers answer a repeated call in a session only with differences; in a new one, they answer in
// full. For a resource, McpToolAnswer::text is its content. Blocks. Errors are those of
// CheckMcpAllowed and of McpServers.
absl::StatusOr<McpToolAnswer> AskMcpServer(const SessionContext& context, McpServers::Host host,
                                           const McpServerRequest& request);

// What a server of the configuration offers.
struct McpServerOffer {
  std::string name;
  std::string source;   // "stile.yaml:12"
  std::string failure;  // why there is nothing; "": it answered
  std::vector<McpServers::Offer> tools;
  std::vector<McpResourceInfo> resources;
};
// Starts every server, and ends it again. Blocks.
std::vector<McpServerOffer> ListMcpServers(const SessionContext& context, McpServers::Host host);

}  // namespace stile

#endif  // STILE_AGENTS_API_MCP_CALL_H_

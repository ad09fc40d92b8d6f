// Tools of MCP servers as tools of Stile's agents.
#ifndef STILE_TOOLS_MCP_MCP_TOOLS_H_
#define STILE_TOOLS_MCP_MCP_TOOLS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/mcp/mcp_servers.h"
#include "runtime/tool/tool.h"

namespace stile {

// The most bytes of a server's answer that a model gets.
inline constexpr size_t kMaxServerTextBytes = size_t{30} << 10;
// What a model reads of a call of `name` that failed; Fatal for a cancellation.
ToolResult FailureOfServer(const std::string& name, const absl::Status& status);

// Adds a tool `SERVER.TOOL` for each tool of `listing`, in its order. It asks before it runs,
// unless settings list it as read-only. The server checks the arguments. Left out, with a line in
// `warnings`: a tool with an invalid or taken name, or with a schema that is too large. `servers`
// is not owned and outlives `tools`.
void AddMcpTools(McpServers* servers, const McpServers::Listing& listing,
                 std::vector<std::unique_ptr<Tool>>* tools, std::vector<std::string>* warnings);

// Adds `mcp.list_resources` and `mcp.read_resource`, if a server has resources. Before AddMcpTools:
// these names are Stile's.
void AddMcpResourceTools(McpServers* servers, const McpServers::Listing& listing,
                         std::vector<std::unique_ptr<Tool>>* tools);

}  // namespace stile

#endif  // STILE_TOOLS_MCP_MCP_TOOLS_H_

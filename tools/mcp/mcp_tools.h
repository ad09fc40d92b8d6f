// Tools of MCP servers as tools of Stile's agents.
#ifndef STILE_TOOLS_MCP_MCP_TOOLS_H_
#define STILE_TOOLS_MCP_MCP_TOOLS_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/mcp/mcp_servers.h"
#include "runtime/tool/tool.h"

namespace stile {

// Adds a tool `SERVER.TOOL` for each tool of `listing` to `tools`, in its order. One that settings
// do not call read-only may change the workspace, and asks. Arguments are the server's to check. A
// tool whose name is taken, or is no name, or whose schema is none, is left out, which `warnings`
// says. `servers` is not owned.
void AddMcpTools(McpServers* servers, const McpServers::Listing& listing,
                 std::vector<std::unique_ptr<Tool>>* tools, std::vector<std::string>* warnings);

// Adds `mcp.list_resources` and `mcp.read_resource`, if a server has resources. Before AddMcpTools:
// these names are Stile's.
void AddMcpResourceTools(McpServers* servers, const McpServers::Listing& listing,
                         std::vector<std::unique_ptr<Tool>>* tools);

}  // namespace stile

#endif  // STILE_TOOLS_MCP_MCP_TOOLS_H_

// The tools that a server offers.
#ifndef STILE_AGENTS_MCP_SERVED_TOOLS_H_
#define STILE_AGENTS_MCP_SERVED_TOOLS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "agents/mcp/mcp_tool.h"
#include "agents/mcp/workspaces.h"

namespace stile {

// The tools that McpOptions::tools and read_only select. InvalidArgument: a pattern that fits no
// tool, none is left, or a wrong configuration.
absl::StatusOr<std::vector<McpTool>> ServedTools(McpWorkspaces* workspaces);

}  // namespace stile

#endif  // STILE_AGENTS_MCP_SERVED_TOOLS_H_

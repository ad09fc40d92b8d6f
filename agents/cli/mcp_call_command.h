// The verbs `mcp call`, `mcp read` and `mcp list`: requests to MCP servers.
#ifndef STILE_AGENTS_CLI_MCP_CALL_COMMAND_H_
#define STILE_AGENTS_CLI_MCP_CALL_COMMAND_H_

#include <memory>

#include "agents/cli/agent_flags.h"
#include "agents/cli/command.h"

namespace stile {

// `agent`: the flags of `stile mcp`, which hold before and behind these verbs.
void DeclareMcpCall(CLI::App* app, CliContext* context, const std::shared_ptr<AgentFlags>& agent);
void DeclareMcpRead(CLI::App* app, CliContext* context, const std::shared_ptr<AgentFlags>& agent);
void DeclareMcpList(CLI::App* app, CliContext* context, const std::shared_ptr<AgentFlags>& agent);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_MCP_CALL_COMMAND_H_

// The verbs `mcp call`, `mcp read` and `mcp list`: requests to MCP servers.
#ifndef STILE_AGENTS_CLI_MCP_CALL_COMMAND_H_
#define STILE_AGENTS_CLI_MCP_CALL_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareMcpCall(CLI::App* app, CliContext* context);
void DeclareMcpRead(CLI::App* app, CliContext* context);
void DeclareMcpList(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_MCP_CALL_COMMAND_H_

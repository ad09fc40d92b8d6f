// The verb `mcp`: a server of the Model Context Protocol.
#ifndef STILE_AGENTS_CLI_MCP_COMMAND_H_
#define STILE_AGENTS_CLI_MCP_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareMcp(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_MCP_COMMAND_H_

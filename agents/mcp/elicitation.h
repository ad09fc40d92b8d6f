// Questions for the person at the peer of a call (elicitation/create).
#ifndef STILE_AGENTS_MCP_ELICITATION_H_
#define STILE_AGENTS_MCP_ELICITATION_H_

#include "agents/api/agent.h"
#include "agents/mcp/mcp_tool.h"
#include "runtime/tool/permissions.h"

namespace stile {

// Asks whether a tool may be called. Empty if the peer offers no forms. `call` outlives the result.
PermissionPrompt PermissionPromptOf(const McpCall& call);

// The person answers what a person at the terminal would be asked. Does nothing if the peer offers
// no forms. `call` outlives the options.
void AskByElicitation(const McpCall& call, AgentOptions* options);

}  // namespace stile

#endif  // STILE_AGENTS_MCP_ELICITATION_H_

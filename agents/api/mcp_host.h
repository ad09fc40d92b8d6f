// The MCP servers of a session: where they work, and how a person answers their forms.
#ifndef STILE_AGENTS_API_MCP_HOST_H_
#define STILE_AGENTS_API_MCP_HOST_H_

#include <functional>
#include <optional>
#include <string>

#include "agents/api/session_context.h"
#include "runtime/mcp/mcp_servers.h"
#include "runtime/sandbox/sandbox.h"

namespace stile {

// Where the MCP servers of a session work. `context` and `sandbox` are not owned.
McpServers::Host McpHostOf(const SessionContext& context, const std::string& workspace,
                           RunSandbox* sandbox, CancellationSource cancellation);

// Answers elicitation/create of a server by asking for each field of its form, one after the other:
// the object {action, content}. Declined where the server wants a web page to be opened, or where
// `ask` is empty; cancelled where a field gets no answer. An empty answer leaves out a field that
// is not required, or stands for its default.
Json AnswerForm(const std::string& server, const Json& params,
                const std::function<std::optional<std::string>(const std::string&)>& ask);

}  // namespace stile

#endif  // STILE_AGENTS_API_MCP_HOST_H_

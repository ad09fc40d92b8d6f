// Which requests of a peer are about tasks (tasks.h), and how.
#ifndef STILE_AGENTS_MCP_TASK_REQUESTS_H_
#define STILE_AGENTS_MCP_TASK_REQUESTS_H_

#include "absl/time/time.h"
#include "agents/mcp/mcp_requests.h"
#include "agents/mcp/mcp_tool.h"
#include "agents/mcp/tasks.h"

namespace stile {

// The revision by handshake that has tasks, and the extension of kStatelessRevision.
inline constexpr char kRevisionWithTasks[] = "2025-11-25";
inline constexpr char kTasksExtension[] = "io.modelcontextprotocol/tasks";

// Which tasks the peer of the request can use.
TaskProtocol TasksOf(const McpRequest& request);

// Whether the request asks to be answered with a task.
bool AsksForTask(const McpRequest& request);

// Whether a call of the tool is answered with a task.
bool BecomesTask(const McpRequest& request, const McpTool& tool);

// How long the task of the request is kept after its end.
absl::Duration TtlOf(const McpRequest& request);

}  // namespace stile

#endif  // STILE_AGENTS_MCP_TASK_REQUESTS_H_

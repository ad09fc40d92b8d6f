// Steps of workflows that use MCP servers.
#ifndef STILE_AGENTS_API_MCP_STEPS_H_
#define STILE_AGENTS_API_MCP_STEPS_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "agents/api/session_context.h"
#include "runtime/mcp/mcp_servers.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/workflow/step_executor.h"

namespace stile {

// The servers of one workflow, started by the first step that wants one. Not thread-safe.
class McpSteps {
 public:
  // `context` is not owned. `open_sandbox` gives the sandbox in which commands of the workflow run.
  McpSteps(const SessionContext* context, std::string workspace,
           std::function<absl::StatusOr<RunSandbox*>()> open_sandbox);

  // Whether settings name the server in `tool`, "SERVER.TOOL".
  bool HasTool(const std::string& tool) const;

  // Steps of type tool and resource. A tool's structured result is the output, else its text is.
  // What a server refuses is a reply that is not ok; Cancelled as in StepExecutor.
  absl::StatusOr<StepReply> UseTool(const StepCall& call);
  absl::StatusOr<StepReply> ReadResource(const StepCall& call);

 private:
  absl::StatusOr<McpServers*> Servers();

  const SessionContext& context_;
  const std::string workspace_;
  const std::function<absl::StatusOr<RunSandbox*>()> open_sandbox_;
  std::unique_ptr<McpServers> servers_;  // null: no step wanted one yet
};

}  // namespace stile

#endif  // STILE_AGENTS_API_MCP_STEPS_H_

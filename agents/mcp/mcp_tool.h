// The tools of the server, and what one call of a tool has.
#ifndef STILE_AGENTS_MCP_MCP_TOOL_H_
#define STILE_AGENTS_MCP_MCP_TOOL_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/config.h"
#include "agents/mcp/workspaces.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/json.h"
#include "runtime/event/event.h"
#include "runtime/tool/tool.h"

namespace stile {

struct McpCall {
  const Cancellation* cancellation = nullptr;  // set; not owned
  std::string client;                          // the name that the peer gives itself; may be empty
  // Both may be called on any thread until the call has returned; they may be empty.
  std::function<void(const std::string& message)> on_progress;
  std::function<void(const std::string& level, const std::string& text)> on_log;
  // Asks the model of the peer; without a function where the peer offers none.
  Sampling sampling;
  // Asks the person at the peer: takes the params of `elicitation/create`, and gives the result.
  // Empty where the peer offers no forms. Blocks; errors as PeerQuestions::Ask.
  std::function<absl::StatusOr<Json>(const Json& params)> elicit;
};

struct McpTool {
  std::string name;   // "code_refactor"
  std::string title;  // "Change code by meaning"
  std::string description;
  Json input;                // JSON Schema of an object
  Json output;               // JSON Schema of an object; null: no structured result
  bool read_only = false;    // calls of others in a workspace run one after the other
  bool destructive = false;  // may remove what was there
  bool idempotent = false;
  bool open_world = false;  // asks a model, or runs what needs a network
  bool takes_long = false;  // minutes: a peer may have it as a task
  // `run` makes the arguments fit by itself, and says what is wrong with them.
  bool checks_arguments = false;
  // A status becomes an error of the tool. A cancelled request gets no answer.
  std::function<absl::StatusOr<ToolResult>(const Json& arguments, const McpCall& call)> run;
};

// Name of a tool as it is compared: "code.refactor", "code-refactor" and "code_refactor" are one.
std::string McpName(absl::string_view name);

// The files and the code of workspaces: file.*, search.* and code.*. `workspaces` outlives the
// tools. InvalidArgument: the configuration of the server's folder is wrong.
absl::StatusOr<std::vector<McpTool>> WorkspaceTools(McpWorkspaces* workspaces);
// gate_begin, gate_status, gate_finish: an open session for the work of the peer.
std::vector<McpTool> GateTools(McpWorkspaces* workspaces);
// run, story, workflow, app, cycle, plan, verify, verify_status: work that Stile's own agents do.
std::vector<McpTool> RunTools(McpWorkspaces* workspaces);

// The argument `workspace` of every tool, for the `properties` of its schema.
Json WorkspaceArgument();
// InvalidArgument names each violation of the schema.
absl::Status CheckArguments(const McpTool& tool, const Json& arguments);

// What a run came to, for a model and for programs; an error of the tool unless the gate accepted.
ToolResult ReportRun(const McpWorkspaces& workspaces, const RunResult& result,
                     const std::string& run_id);
// JSON Schema of its data.
Json RunSchema();
// One line about what a run does now; "": nothing to tell.
std::string ProgressText(const Event& event);

}  // namespace stile

#endif  // STILE_AGENTS_MCP_MCP_TOOL_H_

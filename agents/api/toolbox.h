// The tools of one workspace for callers that Stile does not run, such as an agent that calls them
// over a protocol.
#ifndef STILE_AGENTS_API_TOOLBOX_H_
#define STILE_AGENTS_API_TOOLBOX_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/cancellation.h"
#include "runtime/tool/permissions.h"
#include "runtime/tool/tool.h"

namespace stile {

struct McpServerRequest;  // agents/api/mcp_call.h
struct McpServerOffer;    // the same
struct McpToolAnswer;     // runtime/mcp/mcp_client.h
struct SessionContext;    // agents/api/session_context.h

// One call of a tool.
struct ToolUse {
  std::string name;  // as ToolRegistry::Find takes it
  Json arguments = Json::object();
  const Cancellation* cancellation = nullptr;  // not owned; may be null
  // Asks a person whether this call may do what a rule says to ask about, on the thread of the
  // call; may block. Empty: AgentOptions::on_ask.
  PermissionPrompt on_ask;
  // What commands and compilers print, piece by piece, on the calling thread; may be empty.
  std::function<void(absl::string_view)> on_output;
};

// Tools that only look at code keep their index and language servers between calls; those that a
// compiler judges start their own. Thread-safe: calls that change files run one at a time, and so
// do those that look at code. Blocks until the tool has ended.
class Toolbox {
 public:
  virtual ~Toolbox() = default;
  // Tools that belong to the loop of an agent (agent.*, budget.*) are refused. InvalidArgument: an
  // unknown tool, or arguments that do not fit; PermissionDenied: by the rules of the
  // configuration; Cancelled; other errors are defects of ours or of the workspace.
  virtual absl::StatusOr<ToolResult> Use(const ToolUse& use) = 0;

  // Makes a request to an MCP server that the configuration names, in a session of its own. The
  // options of the agent cancel it. Errors are those of AskMcpServer (agents/api/mcp_call.h).
  virtual absl::StatusOr<McpToolAnswer> AskMcpServer(const McpServerRequest& request) = 0;
  // Starts these servers, and lists what they offer. Blocks; cancelled as AskMcpServer.
  virtual absl::StatusOr<std::vector<McpServerOffer>> ListMcpServers() = 0;
};

// See Agent::OpenToolbox. `context` is not owned.
std::unique_ptr<Toolbox> NewToolbox(const SessionContext* context, std::string workspace);

}  // namespace stile

#endif  // STILE_AGENTS_API_TOOLBOX_H_

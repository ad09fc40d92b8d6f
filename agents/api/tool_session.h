// Tools outside of a run: one call, on the workspace as it stands.
#ifndef STILE_AGENTS_API_TOOL_SESSION_H_
#define STILE_AGENTS_API_TOOL_SESSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/session_context.h"
#include "runtime/tool/tool.h"
#include "runtime/workspace/file_lock.h"

namespace stile {

class ToolSession {
 public:
  // `context` is not owned.
  ToolSession(const SessionContext* context, std::string workspace)
      : context_(*context), options_(*context->options), workspace_(std::move(workspace)) {}

  // See Agent::AskTool and Agent::Tools.
  absl::StatusOr<ToolResult> Ask(const std::string& name, const Json& arguments);
  std::vector<ToolSpec> Specs();
  // Paths of the regular files that are not ignored, relative to the workspace.
  absl::StatusOr<std::vector<std::string>> ListFiles() const;
  // Any tool, with a gate and a sandbox, as a step of a workflow. Who wrote the step has been
  // asked; PermissionDenied for what the rules forbid. Files of up to 256 KiB are read whole, and
  // code.validate judges every target, as `stile validate` does; `log` gets what its commands
  // print, and may be empty.
  absl::StatusOr<ToolResult> Use(const std::string& name, const Json& arguments,
                                 const ValidationLog& log);
  // PermissionDenied where the rules forbid the built-in tool `name` with these arguments.
  absl::Status CheckAllowed(const std::string& name, const Json& arguments);

 private:
  ToolContext NewContext() const;
  // Of what the code tools remember; "" where there can be none, and it only takes longer.
  std::string IndexFolder();
  bool IsCodeWriter(const std::string& name);
  // With a gate, whose compilers the tool may ask, and with files that a crash left put back.
  // `step_log`: of a step of a workflow, which the rules bind; null: a person asks.
  absl::StatusOr<ToolResult> RunWithGate(const std::string& name, const Json& arguments,
                                         ToolContext context, const ValidationLog* step_log);
  absl::Status CheckPermission(const Tool& tool, const Json& arguments, const ToolContext& context);
  // Until nobody else has it, ten minutes at most.
  absl::StatusOr<FileLock> WaitFor(const std::string& path);

  const SessionContext& context_;
  const AgentOptions& options_;
  const std::string workspace_;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_TOOL_SESSION_H_

// Tools outside of a run: one call, on the workspace as it stands.
#ifndef STILE_AGENTS_API_TOOL_SESSION_H_
#define STILE_AGENTS_API_TOOL_SESSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/session_context.h"
#include "runtime/tool/consent.h"
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
  // The same for a caller with rules of its own, who gets files as models do.
  absl::StatusOr<ToolResult> UseFor(const Consent& consent, const std::string& name,
                                    const Json& arguments, const ValidationLog& log);
  // PermissionDenied where the rules forbid the built-in tool `name` with these arguments.
  absl::Status CheckAllowed(const std::string& name, const Json& arguments);
  // PermissionDenied if the rules deny reading the file, or say ask and `yes` is not set.
  absl::Status CheckReadable(const std::string& path);
  // Held while files change: what one call tries out would look like the code to another. Waits ten
  // minutes at most.
  absl::StatusOr<FileLock> WaitToWrite();

 private:
  // How a call with a gate differs between callers.
  struct Caller {
    // Null: a person asks, whom no rule binds, and only changed code is judged.
    const Consent* consent = nullptr;
    ValidationLog log;
    size_t max_whole_file_bytes = 0;
  };

  bool IsCodeWriter(const std::string& name);
  Consent ConsentOfStep() const;
  // With a gate, whose compilers the tool may ask, and with files that a crash left put back.
  absl::StatusOr<ToolResult> RunWithGate(const std::string& name, const Json& arguments,
                                         const Caller& caller);

  const SessionContext& context_;
  const AgentOptions& options_;
  const std::string workspace_;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_TOOL_SESSION_H_

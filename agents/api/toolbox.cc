#include "agents/api/toolbox.h"

#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/mcp_call.h"
#include "agents/api/mcp_host.h"
#include "agents/api/tool_session.h"
#include "agents/api/ungated_tools.h"
#include "runtime/base/status.h"
#include "runtime/tool/consent.h"

namespace stile {
namespace {

constexpr auto kSlice = std::chrono::milliseconds(50);

// Waits for its turn; not held when the call was cancelled first.
std::unique_lock<std::timed_mutex> WaitForTurn(std::timed_mutex* mutex,
                                               const Cancellation* cancellation) {
  std::unique_lock<std::timed_mutex> lock(*mutex, std::defer_lock);
  while (!lock.try_lock_for(kSlice)) {
    if (cancellation != nullptr && cancellation->cancelled()) break;
  }
  return lock;
}

bool BelongsToLoop(const std::string& name) {
  return absl::StartsWith(name, "agent.") || absl::StartsWith(name, "budget.");
}

// A compiler judges what it does, or it runs commands in the gate's sandbox.
bool NeedsGate(const ToolSpec& spec) {
  if (absl::StartsWith(spec.name, "code.")) return !spec.read_only || spec.name == "code.validate";
  return absl::StartsWith(spec.name, "shell.") || absl::StartsWith(spec.name, "git.");
}

class WorkspaceToolbox : public Toolbox {
 public:
  WorkspaceToolbox(const SessionContext* context, std::string workspace)
      : context_(*context),
        workspace_(std::move(workspace)),
        consent_{context_.options->config.permissions, context_.options->config.yes,
                 context_.options->on_ask, workspace_, context_.options->outer_permissions},
        code_(&context_, workspace_),
        files_(&context_, workspace_) {}

  absl::StatusOr<ToolResult> Use(const ToolUse& use) override {
    // What it knows of its tools does not change, so it may be read beside a call.
    STILE_ASSIGN_OR_RETURN(PreparedCall call, files_.registry().Prepare(use.name, use.arguments));
    const ToolSpec& spec = call.tool->spec();
    if (BelongsToLoop(spec.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(spec.name, " is for agents that Stile runs; there is no run here"));
    }
    SessionContext context = context_;
    context.cancellation = use.cancellation;
    Consent consent = consent_;
    if (use.on_ask) consent.on_ask = use.on_ask;
    if (NeedsGate(spec)) {
      return ToolSession(&context, workspace_)
          .UseFor(consent, spec.name, call.arguments, use.on_output);
    }
    ToolContext given = NewToolContext(context, workspace_);
    given.on_output = use.on_output;
    STILE_RETURN_IF_ERROR(consent.CheckCall(spec, call.arguments, nullptr));
    FileLock writing;
    if (!spec.read_only) {
      STILE_ASSIGN_OR_RETURN(writing, ToolSession(&context, workspace_).WaitToWrite());
    }
    const bool is_code = absl::StartsWith(spec.name, "code.");
    const auto turn = WaitForTurn(is_code ? &code_turn_ : &files_turn_, use.cancellation);
    if (!turn.owns_lock()) return absl::CancelledError("cancelled while another call ran");
    if (is_code) call.tool = code_.registry().Find(spec.name);
    return (is_code ? code_ : files_).Run(call, given);
  }

  absl::StatusOr<McpToolAnswer> AskMcpServer(const McpServerRequest& request) override {
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<RunSandbox> sandbox,
                           OpenCommandSandbox(context_, workspace_));
    return stile::AskMcpServer(context_, McpHost(sandbox.get()), request);
  }

  absl::StatusOr<std::vector<McpServerOffer>> ListMcpServers() override {
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<RunSandbox> sandbox,
                           OpenCommandSandbox(context_, workspace_));
    return stile::ListMcpServers(context_, McpHost(sandbox.get()));
  }

 private:
  McpServers::Host McpHost(RunSandbox* sandbox) const {
    return McpHostOf(context_, workspace_, sandbox, [this] { return context_.cancellation; });
  }

  const SessionContext& context_;
  const std::string workspace_;
  const Consent consent_;
  std::timed_mutex code_turn_;
  std::timed_mutex files_turn_;
  UngatedTools code_;   // guarded by code_turn_
  UngatedTools files_;  // all tools but code.*; its calls are guarded by files_turn_
};

}  // namespace

std::unique_ptr<Toolbox> NewToolbox(const SessionContext* context, std::string workspace) {
  return std::make_unique<WorkspaceToolbox>(context, std::move(workspace));
}

}  // namespace stile

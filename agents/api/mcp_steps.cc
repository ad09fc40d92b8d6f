#include "agents/api/mcp_steps.h"

#include <algorithm>
#include <utility>

#include "agents/api/mcp_call.h"
#include "agents/api/mcp_host.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxMessageBytes = size_t{4} << 10;

std::string ServerOf(const std::string& tool) { return tool.substr(0, tool.find('.')); }

absl::StatusOr<StepReply> Failure(const absl::Status& status) {
  if (absl::IsCancelled(status)) return status;
  StepReply reply;
  reply.ok = false;
  reply.message = ToUtf8(TruncateMiddle(status.message(), kMaxMessageBytes));
  return reply;
}

// The text as the step wants its output.
StepReply Success(const WorkflowStep& step, const std::string& text) {
  StepReply reply;
  const absl::Status fits = SetOutput(step, ToUtf8(text), &reply);
  reply.ok = fits.ok();
  reply.message = std::string(fits.message());
  return reply;
}

}  // namespace

McpSteps::McpSteps(const SessionContext* context, std::string workspace,
                   std::function<absl::StatusOr<RunSandbox*>()> open_sandbox)
    : context_(*context),
      workspace_(std::move(workspace)),
      open_sandbox_(std::move(open_sandbox)) {}

bool McpSteps::HasTool(const std::string& tool) const {
  const std::vector<McpServerSettings>& servers = context_.options->config.mcp_servers;
  return tool.find('.') != std::string::npos &&
         std::any_of(servers.begin(), servers.end(), [&](const McpServerSettings& server) {
           return server.name == ServerOf(tool);
         });
}

absl::StatusOr<McpServers*> McpSteps::Servers() {
  if (servers_ == nullptr) {
    STILE_ASSIGN_OR_RETURN(RunSandbox* const sandbox, open_sandbox_());
    servers_ = std::make_unique<McpServers>(
        context_.options->config.mcp_servers,
        McpHostOf(context_, workspace_, sandbox, [this] { return context_.cancellation; }));
  }
  return servers_.get();
}

absl::StatusOr<StepReply> McpSteps::UseTool(const StepCall& call) {
  McpServerRequest request;
  const std::string name = JsonString(call.settings, "tool").value_or("");
  request.server = ServerOf(name);
  request.tool = name.substr(request.server.size() + 1);
  request.arguments = call.settings.value("arguments", Json::object());
  if (const absl::Status allowed = CheckMcpAllowed(context_, workspace_, request); !allowed.ok()) {
    return Failure(allowed);
  }
  STILE_ASSIGN_OR_RETURN(McpServers* const servers, Servers());
  const auto answer = servers->CallTool(request.server, request.tool, request.arguments, nullptr);
  if (!answer.ok()) return Failure(answer.status());
  if (answer->is_error) return Failure(absl::FailedPreconditionError(answer->text));
  if (answer->structured.is_null()) return Success(*call.step, answer->text);
  StepReply reply;
  reply.output = answer->structured;
  return reply;
}

absl::StatusOr<StepReply> McpSteps::ReadResource(const StepCall& call) {
  McpServerRequest request;
  request.server = JsonString(call.settings, "server").value_or("");
  request.uri = JsonString(call.settings, "uri").value_or("");
  if (const absl::Status allowed = CheckMcpAllowed(context_, workspace_, request); !allowed.ok()) {
    return Failure(allowed);
  }
  STILE_ASSIGN_OR_RETURN(McpServers* const servers, Servers());
  const auto text = servers->ReadResource(request.server, request.uri);
  return text.ok() ? Success(*call.step, *text) : Failure(text.status());
}

}  // namespace stile

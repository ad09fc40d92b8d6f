#include "agents/api/mcp_relay.h"

#include <utility>

#include "agents/api/mcp_host.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

std::string AnswerText(const absl::StatusOr<McpToolAnswer>& answer) {
  if (!answer.ok()) {
    return DumpJson(
        {{"code", answer.status().raw_code()}, {"error", ToUtf8(answer.status().message())}});
  }
  return DumpJson({{"isError", answer->is_error},
                   {"text", ToUtf8(answer->text)},
                   {"structured", answer->structured}});
}

}  // namespace

McpRelay::McpRelay(const SessionContext* context, const std::string& workspace, RunSandbox* sandbox)
    : context_(*context),
      host_(McpHostOf(context_, workspace, sandbox, [this] { return &cancellation_; })) {
  // Several commands may run at once, and each relay has a thread of its own.
  host_.on_elicit = nullptr;
}

McpRelay::~McpRelay() { cancellation_.Cancel(); }

absl::StatusOr<std::unique_ptr<McpRelay>> McpRelay::Open(const SessionContext* context,
                                                         const std::string& workspace,
                                                         RunSandbox* sandbox,
                                                         const std::string& folder) {
  std::unique_ptr<McpRelay> relay(new McpRelay(context, workspace, sandbox));
  relay->socket_ = JoinPath(folder, "mcp");
  STILE_ASSIGN_OR_RETURN(
      relay->server_,
      LocalServer::Open(relay->socket_, [relay = relay.get()](const std::string& request) {
        return relay->Answer(request);
      }));
  return relay;
}

std::string McpRelay::Answer(const std::string& request) {
  const auto json = ParseJson(request);
  const Json* const arguments = json.ok() ? JsonMember(*json, "arguments") : nullptr;
  if (arguments == nullptr || !arguments->is_object()) {
    return AnswerText(absl::InvalidArgumentError("this is no request of `stile mcp`"));
  }
  McpServerRequest parsed;
  parsed.server = JsonString(*json, "server").value_or("");
  parsed.tool = JsonString(*json, "tool").value_or("");
  parsed.arguments = *arguments;
  parsed.uri = JsonString(*json, "uri").value_or("");
  return AnswerText(AskMcpServer(context_, host_, parsed));
}

absl::StatusOr<McpToolAnswer> AskMcpRelay(const std::string& socket,
                                          const McpServerRequest& request,
                                          const Cancellation* cancellation) {
  const Json asked = {{"server", request.server},
                      {"tool", request.tool},
                      {"arguments", request.arguments},
                      {"uri", request.uri}};
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         AskLocalServer(socket, DumpJson(asked), cancellation));
  STILE_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (const auto error = JsonString(json, "error")) {
    const auto code = static_cast<absl::StatusCode>(JsonInt(json, "code").value_or(0));
    return absl::Status(code == absl::StatusCode::kOk ? absl::StatusCode::kUnknown : code, *error);
  }
  McpToolAnswer answer;
  answer.is_error = JsonBool(json, "isError").value_or(false);
  answer.text = JsonString(json, "text").value_or("");
  if (const Json* structured = JsonMember(json, "structured")) answer.structured = *structured;
  return answer;
}

}  // namespace stile

#include "agents/api/mcp_relay.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agents/api/mcp_host.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

std::string ErrorText(const absl::Status& status) {
  return DumpJson({{"code", status.raw_code()}, {"error", ToUtf8(status.message())}});
}

std::string AnswerText(const absl::StatusOr<McpToolAnswer>& answer) {
  if (!answer.ok()) return ErrorText(answer.status());
  std::string text = DumpJson({{"isError", answer->is_error},
                               {"text", ToUtf8(answer->text)},
                               {"structured", answer->structured}});
  if (text.size() <= kMaxLocalBytes) return text;
  return ErrorText(absl::ResourceExhaustedError(
      absl::StrCat("the result has more than ", kMaxLocalBytes >> 20, " MiB")));
}

bool IsIn(const McpScope& scope, const std::string& name) {
  return std::any_of(scope.begin(), scope.end(), [&](absl::string_view pattern) {
    const bool is_prefix = absl::ConsumeSuffix(&pattern, "*");
    return is_prefix ? absl::StartsWith(name, pattern) : name == pattern;
  });
}

}  // namespace

McpScope ParseMcpScope(absl::string_view setting) {
  if (setting == "true") return {"*"};
  if (setting == "false") return {};
  return absl::StrSplit(setting, absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
}

absl::StatusOr<std::unique_ptr<McpRelay>> McpRelay::Open(const SessionContext* context,
                                                         const std::string& workspace,
                                                         RunSandbox* sandbox, McpScope scope,
                                                         const std::string& folder) {
  std::unique_ptr<McpRelay> relay(new McpRelay(context, workspace, sandbox, std::move(scope)));
  relay->socket_ = JoinPath(folder, "mcp");
  STILE_ASSIGN_OR_RETURN(
      relay->server_,
      LocalServer::Open(relay->socket_, [relay = relay.get()](const std::string& request,
                                                              const Cancellation& cancellation) {
        return relay->Answer(request, cancellation);
      }));
  return relay;
}

std::string McpRelay::Answer(const std::string& request, const Cancellation& cancellation) const {
  const auto json = ParseJson(request);
  const Json* const arguments = json.ok() ? JsonMember(*json, "arguments") : nullptr;
  if (arguments == nullptr || !arguments->is_object()) {
    return ErrorText(absl::InvalidArgumentError("this is no request of `stile mcp`"));
  }
  McpServerRequest parsed;
  parsed.server = JsonString(*json, "server").value_or("");
  parsed.tool = JsonString(*json, "tool").value_or("");
  parsed.arguments = *arguments;
  parsed.uri = JsonString(*json, "uri").value_or("");
  const std::string name = parsed.tool.empty() ? absl::StrCat(parsed.server, ":", parsed.uri)
                                               : absl::StrCat(parsed.server, ".", parsed.tool);
  if (!IsIn(scope_, name)) {
    return ErrorText(absl::PermissionDeniedError(absl::StrCat(
        name,
        " is not among the names that `mcp` of this step allows: ", absl::StrJoin(scope_, " "))));
  }
  McpServers::Host host =
      McpHostOf(context_, workspace_, sandbox_, [&cancellation] { return &cancellation; });
  // Several commands may run at once, and each relay has threads of its own.
  host.on_elicit = nullptr;
  return AnswerText(AskMcpServer(context_, std::move(host), parsed));
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

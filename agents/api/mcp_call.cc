#include "agents/api/mcp_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/tool/consent.h"

namespace stile {
namespace {

constexpr char kReadResource[] = "mcp.read_resource";  // for rules

}  // namespace

absl::Status CheckMcpAllowed(const SessionContext& context, const std::string& workspace,
                             const McpServerRequest& request) {
  ToolSpec spec;
  spec.permission = DefaultPermission::kAsk;
  const Consent consent = {context.options->config.permissions, /*yes=*/true, nullptr, workspace,
                           context.options->outer_permissions};
  if (!request.tool.empty()) {
    spec.name = absl::StrCat(request.server, ".", request.tool);
    return consent.CheckCall(spec, request.arguments, nullptr);
  }
  spec.name = kReadResource;
  spec.permission_argument = "server";
  return consent.CheckCall(spec, {{"server", request.server}, {"uri", request.uri}}, nullptr);
}

absl::StatusOr<McpToolAnswer> AskMcpServer(const SessionContext& context, McpServers::Host host,
                                           const McpServerRequest& request) {
  STILE_RETURN_IF_ERROR(CheckMcpAllowed(context, host.workspace, request));
  McpServers servers(context.options->config.mcp_servers, std::move(host));
  if (!request.tool.empty()) {
    auto answer = servers.CallTool(request.server, request.tool, request.arguments, nullptr);
    if (answer.ok()) return answer;
    return WithContext(answer.status(), absl::StrCat(request.server, ".", request.tool));
  }
  const auto text = servers.ReadResource(request.server, request.uri);
  if (!text.ok()) return WithContext(text.status(), absl::StrCat(request.server, " ", request.uri));
  McpToolAnswer answer;
  answer.text = *text;
  return answer;
}

std::vector<McpServerOffer> ListMcpServers(const SessionContext& context, McpServers::Host host) {
  McpServers servers(context.options->config.mcp_servers, std::move(host));
  std::vector<McpServerOffer> offers;
  for (const McpServerSettings& settings : context.options->config.mcp_servers) {
    McpServerOffer& offer = offers.emplace_back();
    offer.name = settings.name;
    offer.source = settings.source;
    McpServers::Listing listing =
        servers.ListTools([&](const std::string& name) { return name == settings.name; });
    offer.tools = std::move(listing.tools);
    offer.failure = absl::StrJoin(listing.failures, "\n");
    if (listing.with_resources.empty()) continue;
    auto resources = servers.ListResources(settings.name);
    if (resources.ok()) {
      offer.resources = *std::move(resources);
    } else if (offer.failure.empty()) {
      offer.failure = std::string(resources.status().message());
    }
  }
  return offers;
}

}  // namespace stile

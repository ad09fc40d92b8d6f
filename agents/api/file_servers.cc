#include "agents/api/file_servers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/trust.h"
#include "agents/api/workflow_text.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"
#include "runtime/mcp/mcp_settings_reader.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/story/story.h"
#include "runtime/tool/consent.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

bool NamesVariable(const std::map<std::string, std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [](const auto& entry) { return absl::StrContains(entry.second, "${"); });
}

// Whether the rules let an agent run the program of the server as a command.
bool IsAllowedAsCommand(const SessionContext& context, const std::string& workspace,
                        const McpServerSettings& server) {
  ToolSpec spec;
  spec.name = "shell.execute";
  spec.permission = DefaultPermission::kAllowInSandbox;
  spec.permission_argument = "command";
  const Consent consent = {context.options->config.permissions, context.options->config.yes,
                           nullptr, workspace, context.options->outer_permissions};
  const Json command = {{"command", absl::StrJoin(server.command, " ")}};
  return consent.CheckCall(spec, command, [] { return true; }).ok();
}

// Why the servers need trust, with the first that does; "": they do not.
absl::StatusOr<std::string> WhyTrust(const SessionContext& context,
                                     const std::vector<McpServerSettings>& servers) {
  const auto text = [](const McpServerSettings& server, absl::string_view why) {
    return absl::StrCat(server.source, ": the MCP server ", server.name, " ", why);
  };
  for (const McpServerSettings& server : servers) {
    if (!IsHarmless(server)) return text(server, "has a url, the network or a variable");
  }
  STILE_ASSIGN_OR_RETURN(const std::string workspace, RealPath(context.options->workspace));
  for (const McpServerSettings& server : servers) {
    if (!IsAllowedAsCommand(context, workspace, server)) {
      return text(server, "is a command that your rules for shell.execute do not allow");
    }
  }
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<RunSandbox> sandbox,
                         OpenCommandSandbox(context, workspace));
  return sandbox->active() ? "" : text(servers.front(), "would run without a sandbox");
}

// The servers as they count: without trust, what a file says of its own tools does not.
absl::StatusOr<std::vector<McpServerSettings>> Counted(const SessionContext& context,
                                                       const std::string& file,
                                                       absl::string_view text,
                                                       std::vector<McpServerSettings> servers) {
  STILE_ASSIGN_OR_RETURN(const std::string path, RealPath(file));
  STILE_ASSIGN_OR_RETURN(const bool is_trusted, IsTrusted(context.environment, path, text));
  if (is_trusted) return servers;
  STILE_ASSIGN_OR_RETURN(const std::string why, WhyTrust(context, servers));
  if (!why.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(why, ", and this file is not trusted; read it, then run: stile trust ", file));
  }
  for (McpServerSettings& server : servers) server.read_only.clear();
  return servers;
}

}  // namespace

absl::StatusOr<std::vector<McpServerSettings>> ServersIn(absl::string_view text,
                                                         const std::string& file) {
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ReadStoryHead(text, file));
  const Yaml* const servers = yaml.Find("mcp_servers");
  if (servers == nullptr) return std::vector<McpServerSettings>();
  return ParseMcpServers(*servers);
}

bool IsHarmless(const McpServerSettings& server) {
  return server.url.empty() && !server.network && !NamesVariable(server.env);
}

absl::StatusOr<std::unique_ptr<FileContext>> ContextForFile(const SessionContext& base,
                                                            const std::string& file) {
  auto own = std::make_unique<FileContext>(FileContext{*base.options, base});
  own->context.options = &own->options;
  if (file.empty()) return own;
  const auto text = ReadWorkflowText(file);
  if (!text.ok()) return own;
  STILE_ASSIGN_OR_RETURN(std::vector<McpServerSettings> servers, ServersIn(*text, file));
  if (servers.empty()) return own;
  for (const McpServerSettings& server : servers) {
    for (const McpServerSettings& other : base.options->config.mcp_servers) {
      if (other.name != server.name) continue;
      return absl::InvalidArgumentError(absl::StrCat(server.source, ": the MCP server ",
                                                     server.name, " has the name of the one at ",
                                                     other.source, "; give it another name"));
    }
  }
  STILE_ASSIGN_OR_RETURN(servers, Counted(base, file, *text, std::move(servers)));
  std::vector<McpServerSettings>& known = own->options.config.mcp_servers;
  known.insert(known.end(), servers.begin(), servers.end());
  return own;
}

std::string FileOfRun(const RunStore& store, const RunPaths& run) {
  std::string id = run.id;
  for (;;) {
    const auto paths = store.Find(id);
    const auto summary = paths.ok() ? store.Summarize(*paths) : paths.status();
    if (summary.ok() && !summary->file.empty()) return summary->file;
    const size_t dot = id.rfind('.');
    if (dot == std::string::npos) return "";
    id.resize(dot);
  }
}

}  // namespace stile

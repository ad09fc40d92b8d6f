#include "agents/api/file_servers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/trust.h"
#include "agents/api/workflow_files.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"
#include "runtime/mcp/mcp_settings_reader.h"
#include "runtime/story/story.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

bool NamesVariable(const std::map<std::string, std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [](const auto& entry) { return absl::StrContains(entry.second, "${"); });
}

absl::Status CheckTrusted(const Environment& environment, const std::string& file,
                          absl::string_view text, const std::vector<McpServerSettings>& servers) {
  const auto needs_trust = std::find_if_not(servers.begin(), servers.end(),
                                            [](const auto& one) { return IsHarmless(one); });
  if (needs_trust == servers.end()) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const std::string path, RealPath(file));
  STILE_ASSIGN_OR_RETURN(const bool is_trusted, IsTrusted(environment, path, text));
  if (is_trusted) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(needs_trust->source, ": the MCP server ", needs_trust->name,
                   " has a url, the network or a variable, and this file is not trusted; read it, "
                   "then run: stile trust ",
                   file));
}

}  // namespace

absl::StatusOr<std::vector<McpServerSettings>> ServersIn(absl::string_view text,
                                                         const std::string& file) {
  const auto yaml = ReadStoryHead(text, file);
  const Yaml* const servers = yaml.ok() ? yaml->Find("mcp_servers") : nullptr;
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
  STILE_ASSIGN_OR_RETURN(const std::vector<McpServerSettings> servers, ServersIn(*text, file));
  std::vector<McpServerSettings>& known = own->options.config.mcp_servers;
  for (const McpServerSettings& server : servers) {
    for (const McpServerSettings& other : base.options->config.mcp_servers) {
      if (other.name != server.name) continue;
      return absl::InvalidArgumentError(absl::StrCat(server.source, ": the MCP server ",
                                                     server.name, " has the name of the one at ",
                                                     other.source, "; give it another name"));
    }
    known.push_back(server);
  }
  STILE_RETURN_IF_ERROR(CheckTrusted(base.environment, file, *text, servers));
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

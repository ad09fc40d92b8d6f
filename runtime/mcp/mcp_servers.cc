#include "runtime/mcp/mcp_servers.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/backoff.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/mcp/mcp_http_channel.h"
#include "runtime/mcp/mcp_settings_reader.h"
#include "runtime/rpc/json_rpc_peer.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::Duration kStartTimeout = absl::Seconds(30);
constexpr absl::Duration kGrace = absl::Seconds(2);

bool MatchesAny(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return GlobMatch(pattern, name); });
}

bool IsOffered(const McpServerSettings& server, const std::string& tool) {
  return server.tools.empty() || MatchesAny(server.tools, tool);
}

}  // namespace

McpServers::McpServers(std::vector<McpServerSettings> settings, Host host)
    : settings_(std::move(settings)), host_(std::move(host)) {}

McpServers::~McpServers() { End(); }

void McpServers::End() {
  std::vector<std::thread> ends;
  for (auto& [name, connection] : connections_) {
    if (connection.client == nullptr) continue;
    ends.push_back(TryStartThread([&client = connection.client] { client.reset(); }));
  }
  for (std::thread& end : ends) {
    if (end.joinable()) end.join();
  }
  connections_.clear();
}

McpServers::Listing McpServers::ListTools(
    const std::function<bool(const std::string&)>& is_wanted) {
  Listing listing;
  for (const McpServerSettings& server : settings_) {
    if (!is_wanted(server.name)) continue;
    const auto fail = [&](const absl::Status& status) {
      listing.failures.push_back(absl::StrCat(server.source, ": the MCP server ", server.name,
                                              " has no tools for this run: ", status.message()));
    };
    const absl::StatusOr<McpClient*> client = ClientOf(server);
    if (!client.ok()) {
      fail(client.status());
      continue;
    }
    if ((*client)->has_resources()) listing.with_resources.push_back(server.name);
    absl::StatusOr<std::vector<McpToolInfo>> tools = (*client)->ListTools(kStartTimeout);
    if (!tools.ok()) {
      fail(tools.status());
      continue;
    }
    for (McpToolInfo& tool : *tools) {
      if (!IsOffered(server, tool.name)) continue;
      const bool read_only = MatchesAny(server.read_only, tool.name);
      listing.tools.push_back({&server, std::move(tool), read_only});
    }
  }
  return listing;
}

absl::StatusOr<McpClient*> McpServers::ClientOf(const std::string& server) {
  for (const McpServerSettings& settings : settings_) {
    if (settings.name == server) return ClientOf(settings);
  }
  std::vector<std::string> names;
  for (const McpServerSettings& settings : settings_) names.push_back(settings.name);
  const std::string nearest = Nearest(server, names);
  return absl::NotFoundError(
      absl::StrCat("there is no MCP server '", server, "' under mcp_servers",
                   nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?")));
}

absl::StatusOr<McpClient*> McpServers::ClientOf(const McpServerSettings& server) {
  Connection& connection = connections_[server.name];
  if (connection.client != nullptr) {
    if (connection.client->status().ok()) return connection.client.get();
    connection.failure = connection.client->status();
    connection.client.reset();
  }
  const absl::Duration now = host_.clock->Monotonic();
  const auto failed = [&] {
    return absl::UnavailableError(
        absl::StrCat("the MCP server ", server.name, ": ", connection.failure.message()));
  };
  if (now < connection.next_try) return failed();
  absl::StatusOr<std::unique_ptr<McpClient>> client = Connect(server);
  if (absl::IsCancelled(client.status())) return client.status();
  if (!client.ok()) {
    connection.failure = client.status();
    connection.next_try = host_.clock->Monotonic() + PauseAfter(connection.failures++);
    return failed();
  }
  // One that starts and ends again and again is not started at once, either.
  connection.next_try = now + PauseAfter(connection.failures++);
  connection.client = *std::move(client);
  return connection.client.get();
}

absl::StatusOr<std::unique_ptr<McpClient>> McpServers::Connect(const McpServerSettings& server) {
  STILE_ASSIGN_OR_RETURN(const McpServerSettings settings, WithVariables(server, host_.variables));
  McpClientHost host;
  // A path of this machine means nothing to a server on HTTP.
  if (settings.url.empty()) host.workspace = host_.workspace;
  if (host_.on_elicit) {
    host.on_elicit = [this, name = server.name](const Json& params) {
      return host_.on_elicit(name, params);
    };
  }
  const auto open =
      [&](JsonRpcHandlers handlers) -> absl::StatusOr<std::unique_ptr<JsonRpcChannel>> {
    if (settings.url.empty()) return OpenProgram(settings, std::move(handlers));
    return std::make_unique<McpHttpChannel>(McpHttpChannel::Server{settings.url, settings.headers},
                                            host_.new_http_client, std::move(handlers),
                                            host_.cancellation);
  };
  return McpClient::Connect(open, std::move(host), kStartTimeout);
}

absl::StatusOr<std::unique_ptr<JsonRpcChannel>> McpServers::OpenProgram(
    const McpServerSettings& server, JsonRpcHandlers handlers) {
  STILE_ASSIGN_OR_RETURN(ProcessRunner* const runner, host_.open_runner());
  ProcessRequest request;
  request.argv = server.command;
  request.cwd = CleanPath(JoinPath(host_.workspace, server.cwd));
  if (absl::StartsWith(server.cwd, "/")) request.cwd = CleanPath(server.cwd);
  request.env = host_.environment;
  for (const auto& [name, value] : server.env) request.env[name] = value;
  request.network = server.network;
  request.grace = kGrace;
  const auto unowned = std::shared_ptr<ProcessRunner>(std::shared_ptr<void>(), runner);
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child,
                         ChildProcess::Start(unowned, std::move(request)));
  return std::make_unique<JsonRpcPeer>(std::move(child), McpDialect(), std::move(handlers),
                                       host_.cancellation);
}

absl::Status McpServers::CheckOffered(const std::string& server, const std::string& tool) const {
  for (const McpServerSettings& settings : settings_) {
    if (settings.name != server || IsOffered(settings, tool)) continue;
    return absl::NotFoundError(absl::StrCat("`tools` at ", settings.source, " leaves out ", server,
                                            ".", tool, ": no pattern there fits it"));
  }
  return absl::OkStatus();
}

absl::Duration McpServers::TimeoutOf(const std::string& server) const {
  for (const McpServerSettings& settings : settings_) {
    if (settings.name == server) return absl::Seconds(settings.timeout_s);
  }
  return absl::ZeroDuration();
}

template <typename Answer>
absl::StatusOr<Answer> McpServers::Counted(const std::string& server,
                                           absl::StatusOr<Answer> answer) {
  if (answer.ok()) connections_[server].failures = 0;
  return answer;
}

absl::StatusOr<McpToolAnswer> McpServers::CallTool(
    const std::string& server, const std::string& tool, Json arguments,
    std::function<void(absl::string_view)> on_progress) {
  STILE_RETURN_IF_ERROR(CheckOffered(server, tool));
  STILE_ASSIGN_OR_RETURN(McpClient* const client, ClientOf(server));
  return Counted(server, client->CallTool(tool, std::move(arguments), std::move(on_progress),
                                          TimeoutOf(server)));
}

absl::StatusOr<std::vector<McpResourceInfo>> McpServers::ListResources(const std::string& server) {
  STILE_ASSIGN_OR_RETURN(McpClient* const client, ClientOf(server));
  return Counted(server, client->ListResources(TimeoutOf(server)));
}

absl::StatusOr<std::string> McpServers::ReadResource(const std::string& server,
                                                     const std::string& uri) {
  STILE_ASSIGN_OR_RETURN(McpClient* const client, ClientOf(server));
  return Counted(server, client->ReadResource(uri, TimeoutOf(server)));
}

}  // namespace stile

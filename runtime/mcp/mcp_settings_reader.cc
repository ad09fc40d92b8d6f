#include "runtime/mcp/mcp_settings_reader.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr size_t kMaxNameBytes = 32;
constexpr char kCallPrefix[] = "functions";  // models write it before the names of tools
constexpr char kAllServers[] = "mcp";        // in profiles, `mcp.*` is the tools of all servers
constexpr int64_t kMaxTimeoutS = 3600;

bool IsServerName(absl::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes || name == kAllServers || name == kCallPrefix ||
      !absl::ascii_isalpha(static_cast<unsigned char>(name[0]))) {
    return false;
  }
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') return false;
  }
  return true;
}

absl::Status ReadTexts(const Yaml& server, const char* key,
                       std::map<std::string, std::string>* texts) {
  const Yaml* const found = server.Find(key);
  if (found == nullptr || found->kind == Yaml::Kind::kNull) return absl::OkStatus();
  if (found->kind != Yaml::Kind::kMap) return found->Error("expected names and values");
  for (const auto& [name, value] : found->keys) {
    STILE_ASSIGN_OR_RETURN((*texts)[name], value.AsString());
    for (const char c : absl::StrCat(name, (*texts)[name])) {
      if (c == '\0' || c == '\n' || c == '\r') return value.Error("it must be one line");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<McpServerSettings> ParseServer(const std::string& name, const Yaml& yaml) {
  McpServerSettings server;
  server.name = name;
  server.source = absl::StrCat(yaml.file, ":", yaml.line);
  if (!IsServerName(name)) {
    return yaml.Error(absl::StrCat("'", name,
                                   "' cannot be the name of a server: give a letter, then "
                                   "letters, digits and '-', at most ",
                                   kMaxNameBytes));
  }
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, {"command", "args", "env", "cwd", "network", "url",
                                         "headers", "tools", "read_only", "timeout_s"}));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "command", &server.command));
  std::vector<std::string> arguments;
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "args", &arguments));
  server.command.insert(server.command.end(), arguments.begin(), arguments.end());
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "cwd", &server.cwd));
  if (server.cwd.empty()) return yaml.Find("cwd")->Error("it must not be empty");
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "url", &server.url));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "tools", &server.tools));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "read_only", &server.read_only));
  STILE_RETURN_IF_ERROR(ReadTexts(yaml, "env", &server.env));
  STILE_RETURN_IF_ERROR(ReadTexts(yaml, "headers", &server.headers));
  if (const Yaml* network = yaml.Find("network")) {
    STILE_ASSIGN_OR_RETURN(server.network, network->AsBool());
  }
  if (const Yaml* timeout = yaml.Find("timeout_s")) {
    STILE_ASSIGN_OR_RETURN(server.timeout_s, timeout->AsInt());
    if (server.timeout_s < 1 || server.timeout_s > kMaxTimeoutS) {
      return timeout->Error(absl::StrCat("it must lie between 1 and ", kMaxTimeoutS));
    }
  }
  if (const Yaml* tools = yaml.Find("tools"); tools != nullptr && server.tools.empty()) {
    return tools->Error("give at least one pattern, or leave the key out to offer all tools");
  }
  if (server.command.empty() == server.url.empty()) {
    return yaml.Error("give either the command of a program, or the url of a server");
  }
  if (!server.command.empty() && server.command[0].empty()) {
    return yaml.Find("command")->Error("the program has no name");
  }
  if (!server.url.empty() && !absl::StartsWith(server.url, "http://") &&
      !absl::StartsWith(server.url, "https://")) {
    return yaml.Find("url")->Error("it must begin with http:// or https://");
  }
  for (const char* key : {"args", "env", "cwd", "network"}) {
    const Yaml* const given = yaml.Find(key);
    if (given != nullptr && server.command.empty()) {
      return given->Error("it is for servers with a command; this one has a url");
    }
  }
  const Yaml* const headers = yaml.Find("headers");
  if (headers != nullptr && server.url.empty()) {
    return headers->Error("it is for servers with a url; this one has a command");
  }
  return server;
}

absl::Status Expand(const McpServerSettings& server, const Environment& environment,
                    std::string* text) {
  std::string expanded;
  size_t at = 0;
  for (size_t begin = 0; (begin = text->find("${", at)) != std::string::npos;) {
    const size_t end = text->find('}', begin);
    if (end == std::string::npos) break;
    const std::string variable = text->substr(begin + 2, end - begin - 2);
    const auto value = environment.find(variable);
    if (value == environment.end()) {
      return absl::FailedPreconditionError(absl::StrCat(server.source, ": the server ", server.name,
                                                        " needs the environment variable ",
                                                        variable, ", which is not set"));
    }
    absl::StrAppend(&expanded, text->substr(at, begin - at), value->second);
    at = end + 1;
  }
  *text = absl::StrCat(expanded, text->substr(at));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<McpServerSettings>> ParseMcpServers(const Yaml& yaml) {
  std::vector<McpServerSettings> servers;
  if (yaml.kind == Yaml::Kind::kNull) return servers;
  if (yaml.kind != Yaml::Kind::kMap) return yaml.Error("expected names of servers and settings");
  for (const auto& [name, value] : yaml.keys) {
    STILE_ASSIGN_OR_RETURN(McpServerSettings server, ParseServer(name, value));
    servers.push_back(std::move(server));
  }
  return servers;
}

absl::StatusOr<McpServerSettings> WithVariables(McpServerSettings settings,
                                                const Environment& environment) {
  const McpServerSettings as_written = settings;
  STILE_RETURN_IF_ERROR(Expand(as_written, environment, &settings.url));
  for (auto* texts : {&settings.env, &settings.headers}) {
    for (auto& [name, value] : *texts) {
      STILE_RETURN_IF_ERROR(Expand(as_written, environment, &value));
    }
  }
  return settings;
}

}  // namespace stile

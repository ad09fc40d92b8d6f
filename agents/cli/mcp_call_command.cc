#include "agents/cli/mcp_call_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agents/api/agent.h"
#include "agents/api/mcp_call.h"
#include "agents/api/mcp_relay.h"
#include "agents/api/toolbox.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/line_reader.h"
#include "agents/cli/output.h"
#include "agents/cli/signals.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr int kToolFailed = 1;
// The exit code of shells for a command that cannot be run.
constexpr int kNoAnswer = 126;
constexpr int kCancelled = 130;
constexpr size_t kMaxArgumentBytes = size_t{16} << 20;
constexpr size_t kMaxFiles = 100'000;

struct McpCallFlags {
  std::shared_ptr<AgentFlags> agent;  // of `stile mcp`
  std::string tool;                   // SERVER.TOOL
  std::vector<std::string> arguments;
  std::string files;  // a folder; "": files of the result are printed
  std::string server;
  std::string uri;
};

// A new agent of the flags, for its tools.
absl::StatusOr<std::unique_ptr<Agent>> NewAgent(const CliContext& context,
                                                const AgentFlags& flags) {
  STILE_ASSIGN_OR_RETURN(AgentOptions options, MakeAgentOptions(context, flags));
  if (isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0) {
    options.on_form = [](const std::string& question) -> std::optional<std::string> {
      WriteAll(STDERR_FILENO, absl::StrCat(Printable(question), "\n> "));
      std::string line;
      if (!LineReader(STDIN_FILENO).Next(CancelOnSignals(), &line)) return std::nullopt;
      return line;
    };
  }
  return Agent::Create(std::move(options));
}

// Asks the Stile that runs this command, or else the server itself.
absl::StatusOr<McpToolAnswer> Ask(const CliContext& context, const AgentFlags& flags,
                                  const McpServerRequest& request) {
  const auto socket = context.environment.find(kMcpSocketVariable);
  if (socket != context.environment.end()) {
    return AskMcpRelay(socket->second, request, CancelOnSignals());
  }
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, NewAgent(context, flags));
  return agent->OpenToolbox()->AskMcpServer(request);
}

int ReportNoAnswer(const absl::Status& status) {
  const int code = ReportStatus(status);
  return code == kCancelled ? code : kNoAnswer;
}

absl::StatusOr<std::string> ReadArgument(const std::string& word, const std::string& path) {
  auto text = DiskFileSystem()->ReadFile(path, kMaxArgumentBytes);
  if (!text.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(word, ": ", text.status().message()));
  }
  if (ToUtf8(*text) != *text) {
    return absl::InvalidArgumentError(absl::StrCat(word, ": the file is not UTF-8"));
  }
  return text;
}

// NAME=TEXT, NAME=@FILE, NAME:=JSON, NAME:=@FILE.
absl::Status AddArgument(const std::string& word, Json* arguments) {
  const size_t equals = word.find('=');
  const bool is_json = equals != std::string::npos && equals > 0 && word[equals - 1] == ':';
  const std::string name = word.substr(0, is_json ? equals - 1 : equals);
  if (equals == std::string::npos || name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", word, "' is no argument: give NAME=TEXT, NAME=@FILE, NAME:=JSON or NAME:=@FILE"));
  }
  if (arguments->contains(name)) {
    return absl::InvalidArgumentError(absl::StrCat("the argument ", name, " is given twice"));
  }
  std::string text = word.substr(equals + 1);
  if (absl::StartsWith(text, "@")) {
    STILE_ASSIGN_OR_RETURN(text, ReadArgument(word, text.substr(1)));
  }
  if (!is_json) {
    (*arguments)[name] = ToUtf8(text);
    return absl::OkStatus();
  }
  auto value = ParseJson(text);
  if (!value.ok()) return WithContext(value.status(), name);
  (*arguments)[name] = *std::move(value);
  return absl::OkStatus();
}

// Text of a server: as it is for programs, harmless for a terminal.
void PrintText(const std::string& text) {
  Print(isatty(STDOUT_FILENO) != 0 ? Printable(text) : text);
}

// The result as data: structured, or text that is JSON. Null: it is neither.
Json DataOf(const McpToolAnswer& answer) {
  if (!answer.structured.is_null()) return answer.structured;
  auto parsed = ParseJson(answer.text);
  return parsed.ok() ? *std::move(parsed) : Json();
}

// Some servers report a failure as a result of a call that succeeded.
bool SaysFailed(const Json& data) {
  return JsonBool(data, "success") == false || JsonBool(data, "valid") == false;
}

// A path that a server gave for a file below a folder.
absl::StatusOr<std::string> FilePath(const std::string& path) {
  const std::string clean = CleanPath(path);
  const bool is_inside = !path.empty() && clean != "." && clean != ".." && clean[0] != '/' &&
                         !absl::StartsWith(clean, "../") && !absl::EndsWith(path, "/");
  const bool is_readable = std::none_of(clean.begin(), clean.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (is_inside && is_readable) return clean;
  return absl::InvalidArgumentError(absl::StrCat(
      "the server gave '", OneLine(path), "' as a path; it must lie below the folder of --files"));
}

// The files of a result, by path: [{path, content}].
absl::StatusOr<std::map<std::string, std::string>> FilesOf(const Json& data) {
  const Json* const list = JsonMember(data, "files");
  if (list == nullptr || !list->is_array() || list->size() > kMaxFiles) {
    return absl::InvalidArgumentError(
        "the result has no files; --files wants {\"files\": [{\"path\", \"content\"}]}");
  }
  std::map<std::string, std::string> files;
  for (const Json& file : *list) {
    STILE_ASSIGN_OR_RETURN(const std::string path, FilePath(JsonString(file, "path").value_or("")));
    const auto content = JsonString(file, "content");
    if (!content.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the server gave ", OneLine(path), " without its content"));
    }
    if (!files.emplace(path, *content).second) {
      return absl::InvalidArgumentError(absl::StrCat("the server gave ", OneLine(path), " twice"));
    }
  }
  for (const auto& [path, content] : files) {
    for (std::string above = DirName(path); above != "."; above = DirName(above)) {
      if (files.count(above) == 0) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the server gave ", OneLine(above), " as a file and as a folder"));
    }
  }
  return files;
}

absl::Status WriteFilesInto(const std::map<std::string, std::string>& files,
                            const std::string& root) {
  FileSystem* const disk = DiskFileSystem();
  for (const auto& [path, content] : files) {
    const std::string file = JoinPath(root, path);
    STILE_RETURN_IF_ERROR(disk->MakeDirs(DirName(file)));
    STILE_RETURN_IF_ERROR(disk->WriteFile(file, content, 0644, /*sync=*/false));
  }
  return absl::OkStatus();
}

// All of them, or none.
absl::Status WriteFiles(const std::map<std::string, std::string>& files,
                        const std::string& folder) {
  const std::string root = std::filesystem::absolute(folder).string();
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(root));
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(root));
  if (!names.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the folder of --files is not empty: ", OneLine(folder)));
  }
  const absl::Status written = WriteFilesInto(files, root);
  if (written.ok()) return written;
  if (const auto left = ListDirectory(root); left.ok()) {
    for (const std::string& name : *left) RemoveTree(JoinPath(root, name)).IgnoreError();
  }
  return written;
}

// What was written stands for the files.
int PrintWritten(Json data, const std::map<std::string, std::string>& files) {
  data["files"] = Json::array();
  for (const auto& [path, content] : files) data["files"].push_back({{"path", path}});
  PrintText(absl::StrCat(DumpJson(data), "\n"));
  return 0;
}

int Call(const CliContext& context, const McpCallFlags& flags) {
  McpServerRequest request;
  const size_t dot = flags.tool.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == flags.tool.size()) {
    return ReportNoAnswer(absl::InvalidArgumentError(absl::StrCat(
        "'", OneLine(flags.tool), "' is no tool: give SERVER.TOOL; `stile mcp list` lists them")));
  }
  request.server = flags.tool.substr(0, dot);
  request.tool = flags.tool.substr(dot + 1);
  for (const std::string& word : flags.arguments) {
    const absl::Status added = AddArgument(word, &request.arguments);
    if (!added.ok()) return ReportNoAnswer(added);
  }
  const auto answer = Ask(context, *flags.agent, request);
  if (!answer.ok()) return ReportNoAnswer(answer.status());
  Json data = DataOf(*answer);
  const bool failed = answer->is_error || SaysFailed(data);
  if (!flags.files.empty() && !failed) {
    const auto files = FilesOf(data);
    const absl::Status status = files.ok() ? WriteFiles(*files, flags.files) : files.status();
    if (!status.ok()) return ReportNoAnswer(status);
    return PrintWritten(std::move(data), *files);
  }
  if (context.json) {
    PrintJson({{"isError", answer->is_error},
               {"text", answer->text},
               {"structured", answer->structured}});
  } else if (!answer->structured.is_null()) {
    PrintText(absl::StrCat(DumpJson(answer->structured), "\n"));
  } else {
    PrintText(absl::StrCat(absl::StripSuffix(answer->text, "\n"), "\n"));
  }
  return failed ? kToolFailed : 0;
}

int Read(const CliContext& context, const McpCallFlags& flags) {
  McpServerRequest request;
  request.server = flags.server;
  request.uri = flags.uri;
  const auto answer = Ask(context, *flags.agent, request);
  if (!answer.ok()) return ReportNoAnswer(answer.status());
  if (context.json) {
    PrintJson({{"uri", flags.uri}, {"text", answer->text}});
  } else {
    PrintText(answer->text);
  }
  return 0;
}

Json ToJson(const McpServerOffer& offer) {
  Json tools = Json::array();
  for (const McpServers::Offer& tool : offer.tools) {
    tools.push_back({{"name", absl::StrCat(offer.name, ".", tool.tool.name)},
                     {"description", tool.tool.description},
                     {"inputSchema", tool.tool.input_schema},
                     {"read_only", tool.read_only}});
  }
  Json resources = Json::array();
  for (const McpResourceInfo& resource : offer.resources) {
    resources.push_back(
        {{"uri", resource.uri}, {"name", resource.name}, {"description", resource.description}});
  }
  return {{"name", offer.name},
          {"source", offer.source},
          {"failure", offer.failure},
          {"tools", std::move(tools)},
          {"resources", std::move(resources)}};
}

std::string ToText(const McpServerOffer& offer, int columns) {
  std::string text = absl::StrCat(offer.name, " (", OneLine(offer.source), ")\n");
  if (!offer.failure.empty()) absl::StrAppend(&text, "  failed: ", OneLine(offer.failure), "\n");
  for (const McpServers::Offer& tool : offer.tools) {
    const std::string line =
        absl::StrCat("  ", offer.name, ".", OneLine(tool.tool.name),
                     tool.read_only ? " (read-only)" : "", "  ", OneLine(tool.tool.description));
    absl::StrAppend(&text, FitColumns(line, columns), "\n");
  }
  for (const McpResourceInfo& resource : offer.resources) {
    const std::string line =
        absl::StrCat("  ", OneLine(resource.uri), "  ", OneLine(resource.name));
    absl::StrAppend(&text, FitColumns(line, columns), "\n");
  }
  return text;
}

int List(const CliContext& context, const McpCallFlags& flags) {
  if (context.environment.count(kMcpSocketVariable) > 0) {
    return ReportNoAnswer(absl::FailedPreconditionError(
        "a command of a workflow can call tools and read resources of MCP servers, but not list "
        "them"));
  }
  const auto agent = NewAgent(context, *flags.agent);
  if (!agent.ok()) return ReportStatus(agent.status());
  const auto offers = (*agent)->OpenToolbox()->ListMcpServers();
  if (!offers.ok()) return ReportStatus(offers.status());
  if (CancelOnSignals()->cancelled()) return kCancelled;
  const bool failed = std::any_of(offers->begin(), offers->end(), [](const McpServerOffer& offer) {
    return !offer.failure.empty();
  });
  if (context.json) {
    Json list = Json::array();
    for (const McpServerOffer& offer : *offers) list.push_back(ToJson(offer));
    PrintJson(list);
    return failed ? kToolFailed : 0;
  }
  const Terminal terminal = DescribeTerminal(STDOUT_FILENO, context.environment);
  for (const McpServerOffer& offer : *offers) {
    Print(ToText(offer, terminal.is_tty ? terminal.columns : 120));
  }
  if (offers->empty()) Print("no MCP servers: `mcp_servers` in stile.yaml names them\n");
  return failed ? kToolFailed : 0;
}

}  // namespace

void DeclareMcpCall(CLI::App* app, CliContext* context, const std::shared_ptr<AgentFlags>& agent) {
  const auto flags = std::make_shared<McpCallFlags>();
  flags->agent = agent;
  app->add_option("TOOL", flags->tool, "SERVER.TOOL; `stile mcp list` lists them")->required();
  app->add_option("ARGUMENT", flags->arguments,
                  "NAME=TEXT or NAME:=JSON; @FILE in place of the value reads it from a file");
  app->add_option("--files", flags->files,
                  "Write the files of the result ([{path, content}]) into this empty folder")
      ->type_name("DIR")
      ->check([](const std::string& folder) { return folder.empty() ? "give a folder" : ""; });
  DeclareWorkspaceFlag(app, flags->agent.get());
  app->footer(
      "Calls a tool of a server that mcp_servers names, in a new session with the server, and "
      "prints the\n"
      "result. In a step of a workflow whose `mcp` names the tool, the Stile that runs the step "
      "makes\n"
      "the call.\n"
      "\n"
      "Exit codes: 0 the tool succeeded, 1 it reported an error (or success: false, or valid: "
      "false),\n"
      "126 there was no usable answer, 2 usage, 130 cancelled.\n"
      "\n"
      "Examples:\n"
      "  stile mcp call tickets.comment id:=7 text=@reply.txt\n"
      "  stile mcp call air.air_transpile source=@app.air --files output");
  OnCommand(app, [flags, context] { return Call(*context, *flags); });
}

void DeclareMcpRead(CLI::App* app, CliContext* context, const std::shared_ptr<AgentFlags>& agent) {
  const auto flags = std::make_shared<McpCallFlags>();
  flags->agent = agent;
  app->add_option("SERVER", flags->server, "A server that mcp_servers names")->required();
  app->add_option("URI", flags->uri, "Of the resource; `stile mcp list` lists them")->required();
  DeclareWorkspaceFlag(app, flags->agent.get());
  app->footer("Exit codes: 0 it was read, 126 it could not be read, 2 usage, 130 cancelled.");
  OnCommand(app, [flags, context] { return Read(*context, *flags); });
}

void DeclareMcpList(CLI::App* app, CliContext* context, const std::shared_ptr<AgentFlags>& agent) {
  const auto flags = std::make_shared<McpCallFlags>();
  flags->agent = agent;
  DeclareWorkspaceFlag(app, flags->agent.get());
  app->footer("Starts each server. Exit code 1: a server failed.");
  OnCommand(app, [flags, context] { return List(*context, *flags); });
}

}  // namespace stile

#include "agents/cli/mcp_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/mcp_call_command.h"
#include "agents/cli/output.h"
#include "agents/cli/signals.h"
#include "agents/mcp/http_server.h"
#include "agents/mcp/served_tools.h"
#include "agents/mcp/stdio_server.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/base/version.h"

namespace stile {
namespace {

constexpr size_t kMaxThreads = 16;
constexpr int kCancelled = 130;
constexpr int kGraceS = 8;  // for connections, after a signal

struct McpFlags {
  AgentFlags agent;
  std::vector<std::string> tools;
  bool read_only = false;
  std::string http;  // address; "": standard input and output
};

McpOptions OptionsOf(const CliContext& context, const McpFlags& flags, const std::string& root) {
  McpOptions options;
  options.root = root;
  options.make_options = [&context, &flags](const std::string& workspace, const ConfigFlags& more) {
    AgentFlags agent = flags.agent;
    agent.workspace = workspace;
    agent.config.values.insert(agent.config.values.end(), more.values.begin(), more.values.end());
    return MakeAgentOptions(context, agent);
  };
  options.environment = context.environment;
  options.tools = flags.tools;
  options.read_only = flags.read_only;
  options.version = kVersion;
  return options;
}

constexpr char kTokenVariable[] = "STILE_MCP_TOKEN";

int ServeOverHttp(const McpFlags& flags, const std::string& token, const McpServices& services) {
  HttpOptions options;
  const auto address = ParseHttpAddress(flags.http);
  if (!address.ok()) return ReportStatus(address.status());
  options.address = *address;
  options.token = token;
  options.on_ready = [](const std::string& url) {
    WriteAll(STDERR_FILENO, absl::StrCat("stile: an MCP server at ", url, "; Ctrl-C ends it\n"));
  };
  // A peer that goes on sending keeps its connection, and with it the server. All calls have been
  // cancelled by then; those that have not ended recover as after a kill.
  const Cancellation* const cancellation = CancelOnSignals();
  std::atomic<bool> has_ended{false};
  std::thread guard = TryStartThread([&] {
    while (!has_ended && !cancellation->WaitFor(absl::Milliseconds(200))) {
    }
    for (int i = 0; !has_ended && i < kGraceS * 10; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (!has_ended) _exit(kCancelled);
  });
  const absl::Status status = ServeHttp(services, options, cancellation);
  has_ended = true;
  if (guard.joinable()) guard.join();
  return absl::IsCancelled(status) ? kCancelled : ReportStatus(status);
}

int Serve(const CliContext& given, const McpFlags& flags) {
  // What a peer starts does not get the token.
  CliContext context = given;
  std::string token;
  if (const auto node = context.environment.extract(kTokenVariable)) token = node.mapped();
  const auto root = ResolveFolder(flags.agent.workspace.empty() ? "." : flags.agent.workspace);
  if (!root.ok()) return ReportStatus(root.status());
  const Cancellation* const cancellation = CancelOnSignals();
  McpWorkspaces workspaces(OptionsOf(context, flags, *root));
  auto served = ServedTools(&workspaces);
  if (!served.ok()) return ReportStatus(served.status());
  OpenCalls calls;
  McpTasks tasks;
  ResourceWatch watch(&workspaces);
  McpServices services = {&workspaces, nullptr, &calls, &tasks, &watch, *std::move(served)};
  JobQueue queue(kMaxThreads);
  services.queue = &queue;
  if (!flags.http.empty()) return ServeOverHttp(flags, token, services);
  if (isatty(STDIN_FILENO) != 0 && !context.quiet) {
    WriteAll(STDERR_FILENO,
             absl::StrCat("stile: an MCP server for ", OneLine(*root),
                          ": reads one JSON message a line from standard input; an MCP client "
                          "starts it. Ctrl-D ends it\n"));
  }
  const absl::Status status = ServeStdio(services, STDIN_FILENO, STDOUT_FILENO, cancellation);
  if (absl::IsCancelled(status)) return kCancelled;
  return status.ok() ? 0 : ReportStatus(status);
}

}  // namespace

void DeclareMcp(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<McpFlags>();
  DeclareWorkspaceFlag(app, &flags->agent);
  app->add_option("--tools", flags->tools, "Serve only tools whose names fit; may be repeated")
      ->type_name("PATTERN")
      ->expected(1, 1000)
      ->allow_extra_args(false);
  app->add_flag("--read-only", flags->read_only, "Serve only tools that change nothing");
  app->add_option("--http", flags->http,
                  "Serve over HTTP on the loopback, or on HOST with the token of STILE_MCP_TOKEN")
      ->type_name("[HOST:]PORT");
  DeclareYesFlag(app, &flags->agent);
  app->footer(
      "A server of the Model Context Protocol (revisions 2024-11-05 to 2026-07-28) on standard "
      "input and\n"
      "output, or over HTTP. It works in the folder DIR and the folders in it; every tool takes "
      "one of them as\n"
      "`workspace`. docs/mcp.md says how agents and editors start it.\n"
      "\n"
      "Examples:\n"
      "  claude mcp add stile -- stile mcp\n"
      "  stile mcp -C ~/shop --tools 'code_*' --tools 'gate_*'\n"
      "  stile mcp --http 8765");
  OnCommand(app, [flags, context] { return Serve(*context, *flags); });
  const std::shared_ptr<AgentFlags> agent(flags, &flags->agent);
  DeclareMcpCall(app->add_subcommand("call", "Call a tool of an MCP server"), context, agent);
  DeclareMcpRead(app->add_subcommand("read", "Print a resource of an MCP server"), context, agent);
  DeclareMcpList(app->add_subcommand("list", "List the MCP servers, their tools and resources"),
                 context, agent);
}

}  // namespace stile

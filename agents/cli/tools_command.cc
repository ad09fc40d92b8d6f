#include "agents/cli/tools_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "runtime/tool/tool.h"

namespace stile {
namespace {

absl::string_view PermissionName(DefaultPermission permission) {
  switch (permission) {
    case DefaultPermission::kAllow:
      return "allow";
    case DefaultPermission::kAsk:
      return "ask";
    case DefaultPermission::kAllowInSandbox:
      return "sandbox";
  }
  return "";
}

std::string FirstSentence(const std::string& text) {
  return text.substr(0, std::min(text.find(". "), text.find('\n')));
}

int Tools(const CliContext& context, const AgentFlags& flags) {
  auto options = MakeAgentOptions(context, flags);
  if (!options.ok()) return ReportStatus(options.status());
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  const std::vector<ToolSpec> tools = (*agent)->Tools();
  if (context.json) {
    Json list = Json::array();
    for (const ToolSpec& tool : tools) {
      list.push_back({{"name", tool.name},
                      {"description", tool.description},
                      {"parameters", tool.parameters},
                      {"output", tool.output},
                      {"read_only", tool.read_only},
                      {"permission", std::string(PermissionName(tool.permission))}});
    }
    PrintJson(list);
    return 0;
  }
  const Terminal terminal = DescribeTerminal(1, context.environment);
  const int columns = terminal.is_tty ? terminal.columns : 120;
  std::string text;
  for (const ToolSpec& tool : tools) {
    const std::string line = absl::StrFormat(
        "%-14s  %-8s  %s", tool.name, PermissionName(tool.permission),
        OneLine(context.verbose ? tool.description : FirstSentence(tool.description)));
    absl::StrAppend(&text, context.verbose ? line : FitColumns(line, columns), "\n");
  }
  Print(text);
  return 0;
}

}  // namespace

void DeclareTools(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<AgentFlags>();
  DeclareWorkspaceFlag(app, flags.get());
  app->footer(
      "The second column is what happens without a rule in permissions: allow, ask, or sandbox "
      "(allowed\n"
      "inside an active sandbox, asked outside one). --json prints the schemas, too.");
  OnCommand(app, [flags, context] { return Tools(*context, *flags); });
}

}  // namespace stile

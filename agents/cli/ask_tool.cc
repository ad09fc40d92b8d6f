#include "agents/cli/ask_tool.h"

#include "absl/strings/match.h"
#include "agents/cli/output.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// As seen from the workspace; what lies elsewhere stays as it is.
std::string FromWorkspace(const std::string& path, const std::string& workspace) {
  std::string rest = BaseName(path);
  std::string above = DirName(path);
  auto folder = RealPath(above);
  // A new file may lie in new folders.
  while (!folder.ok() && above != "." && above != "/") {
    rest = JoinPath(BaseName(above), rest);
    above = DirName(above);
    folder = RealPath(above);
  }
  if (!folder.ok() || (*folder != workspace && !absl::StartsWith(*folder, workspace + "/"))) {
    return path;
  }
  return JoinPath(*folder, rest).substr(workspace.size() + 1);
}

}  // namespace

int AskTool(const CliContext& context, const AgentFlags& flags, const std::string& tool,
            const std::vector<FileArgument>& files, Json arguments) {
  const auto options = MakeAgentOptions(context, flags);
  if (!options.ok()) return ReportStatus(options.status());
  for (const FileArgument& file : files) {
    if (!file.path.empty()) arguments[file.name] = FromWorkspace(file.path, options->workspace);
  }
  const auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  const auto result = (*agent)->AskTool(tool, arguments);
  if (!result.ok()) return ReportStatus(result.status());
  if (!result->ok) return UsageError(result->text);
  if (context.json) {
    PrintJson(result->data);
  } else {
    Print(Printable(result->text));
  }
  return 0;
}

}  // namespace stile

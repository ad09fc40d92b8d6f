#include "agents/cli/ask_tool.h"

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "agents/cli/output.h"
#include "runtime/tool/tool.h"
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

// Tools speak to models: of their arguments, and of other tools. A person has flags and an editor.
std::string InWordsOfCommandLine(const std::string& text) {
  return absl::StrReplaceAll(text, {{"use file.write and file.modify", "edit the files by hand"},
                                    {"Use file.write and file.modify", "Edit the files by hand"},
                                    {"use file.write or file.modify", "edit the file by hand"},
                                    {"use file.modify", "edit the file by hand"},
                                    {"Use file.modify", "Edit the file by hand"},
                                    {"with file.modify", "by hand"},
                                    {"with file.write", "by hand"},
                                    {"startLine and endLine", "--start-line and --end-line"},
                                    {"filePath", "--file"},
                                    {"targetFile", "--file"},
                                    {"in className", "as --class"},
                                    {"className", "--class"},
                                    {"methodName", "--method"},
                                    {"in signature", "as --signature"},
                                    {"in symbolName", "as SYMBOL"},
                                    {"symbolName", "SYMBOL"},
                                    {"in newName", "as NEW-NAME"},
                                    {"newName", "NEW-NAME"},
                                    {"with operation method", "with stile generate method"},
                                    {"one as fix.", "one as --fix."},
                                    // Permission rules have the names of the tools.
                                    {"code.refactor of ", "code.refactor of "},
                                    {"code.generate of ", "code.generate of "},
                                    {"code.refactor ", "stile refactor "},
                                    {"code.generate ", "stile generate "}});
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
  if (!result->ok) {
    const std::string message = InWordsOfCommandLine(result->text);
    if (context.json) PrintJson({{"error", message}});
    return UsageError(message);
  }
  if (context.json) {
    PrintJson(result->data);
  } else {
    Print(Printable(result->text));
  }
  return 0;
}

}  // namespace stile

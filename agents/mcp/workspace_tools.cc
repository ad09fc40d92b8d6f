// The tools for files and code.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "agents/mcp/elicitation.h"
#include "agents/mcp/mcp_tool.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

struct Title {
  const char* name;
  const char* title;
};

constexpr Title kTitles[] = {
    {"file_read", "Read a file"},
    {"file_write", "Write a file"},
    {"file_modify", "Replace text in a file"},
    {"file_list", "List files"},
    {"file_exists", "Ask whether a file exists"},
    {"file_delete", "Delete a file"},
    {"search_grep", "Search text"},
    {"code_inspect", "Outline a file or a symbol"},
    {"code_navigate", "Find definitions and uses of a symbol"},
    {"code_refactor", "Change code by meaning, judged by the compiler"},
    {"code_search", "Find code by its subject"},
    {"code_generate", "Write a declaration, judged by the compiler"},
    {"code_validate", "Build or test the projects of the workspace"},
};

std::string TitleOf(const std::string& name) {
  for (const Title& row : kTitles) {
    if (name == row.name) return row.title;
  }
  return name;
}

bool IsServed(absl::string_view name) {
  return absl::StartsWith(name, "file.") || absl::StartsWith(name, "search.") ||
         absl::StartsWith(name, "code.");
}

// The tools write files over or away; without a gate nothing brings the old content back.
bool IsDestructive(absl::string_view name) {
  return name == "file.write" || name == "file.modify" || name == "file.delete" ||
         name == "code.refactor";
}

McpTool ToolOf(const ToolSpec& spec, McpWorkspaces* workspaces) {
  McpTool tool;
  tool.name = McpName(spec.name);
  tool.title = TitleOf(tool.name);
  tool.description = spec.description;
  tool.input = spec.parameters;
  tool.input["properties"]["workspace"] = WorkspaceArgument();
  if (JsonString(spec.output, "type").value_or("") == "object") {
    tool.output = spec.output;
    // A remark on what was found besides the answer, see AddNote.
    tool.output["properties"]["note"] = {{"type", "string"}};
  }
  // A validation runs builds and tests of the workspace.
  tool.read_only = spec.read_only && spec.name != "code.validate";
  tool.takes_long = spec.name == "code.validate";
  tool.checks_arguments = true;
  tool.destructive = IsDestructive(spec.name);
  tool.idempotent = spec.read_only || spec.idempotent;
  tool.run = [name = spec.name, workspaces](const Json& arguments,
                                            const McpCall& call) -> absl::StatusOr<ToolResult> {
    STILE_ASSIGN_OR_RETURN(const std::string workspace, workspaces->Resolve(arguments));
    STILE_ASSIGN_OR_RETURN(const std::shared_ptr<Toolbox> toolbox,
                           workspaces->ToolboxOf(workspace));
    ToolUse use;
    use.name = name;
    use.arguments = arguments;
    use.arguments.erase("workspace");
    use.cancellation = call.cancellation;
    use.on_ask = PermissionPromptOf(call);
    if (call.on_progress) {
      use.on_output = [&call](absl::string_view text) { call.on_progress(std::string(text)); };
    }
    return toolbox->Use(use);
  };
  return tool;
}

}  // namespace

std::string McpName(absl::string_view name) {
  return absl::StrReplaceAll(name, {{".", "_"}, {"-", "_"}});
}

Json WorkspaceArgument() {
  return {{"type", "string"},
          {"description",
           "Folder to work in: absolute, or relative to the folder of the server. If left out, the "
           "folder of the server"}};
}

absl::StatusOr<std::vector<McpTool>> WorkspaceTools(McpWorkspaces* workspaces) {
  const McpOptions& options = workspaces->options();
  STILE_ASSIGN_OR_RETURN(AgentOptions agent_options, options.make_options(options.root, {}));
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent,
                         Agent::Create(std::move(agent_options)));
  std::vector<McpTool> tools;
  for (const ToolSpec& spec : agent->Tools()) {
    if (IsServed(spec.name)) tools.push_back(ToolOf(spec, workspaces));
  }
  return tools;
}

}  // namespace stile

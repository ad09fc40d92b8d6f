#include "agents/mcp/served_tools.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {

absl::StatusOr<std::vector<McpTool>> ServedTools(McpWorkspaces* workspaces) {
  const McpOptions& options = workspaces->options();
  STILE_ASSIGN_OR_RETURN(std::vector<McpTool> all, WorkspaceTools(workspaces));
  for (auto& more : {GateTools(workspaces), RunTools(workspaces)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const std::string& pattern : options.tools) {
    if (std::none_of(all.begin(), all.end(),
                     [&](const McpTool& tool) { return GlobMatch(McpName(pattern), tool.name); })) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no tool fits ", pattern,
          "; there are: ", absl::StrJoin(all, ", ", [](std::string* out, const McpTool& tool) {
            absl::StrAppend(out, tool.name);
          })));
    }
  }
  std::vector<McpTool> served;
  for (McpTool& tool : all) {
    const bool is_chosen =
        options.tools.empty() ||
        std::any_of(options.tools.begin(), options.tools.end(), [&](const std::string& pattern) {
          return GlobMatch(McpName(pattern), tool.name);
        });
    if (is_chosen && (tool.read_only || !options.read_only)) served.push_back(std::move(tool));
  }
  if (served.empty()) return absl::InvalidArgumentError("no tool is left to serve");
  return served;
}

}  // namespace stile

// What peers can read besides calling tools: runs with the files that they changed, certificates,
// languages; and recipes as prompts.
#ifndef STILE_AGENTS_MCP_RESOURCES_H_
#define STILE_AGENTS_MCP_RESOURCES_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/mcp/workspaces.h"
#include "runtime/base/json.h"

namespace stile {

// Objects of resources/list: the languages, then the runs of served folders, the newest first.
absl::StatusOr<Json> ListResources(McpWorkspaces* workspaces);
Json ListResourceTemplates();
// The `contents` of resources/read. NotFound: no such resource. Blocks: languages start programs.
absl::StatusOr<Json> ReadResource(McpWorkspaces* workspaces, const std::string& uri);

// The id of the run that a resource is part of; "" for the languages. NotFound: no such resource; a
// file of a run counts as there, because the run may still change it.
absl::StatusOr<std::string> RunOfResource(McpWorkspaces* workspaces, const std::string& uri);

// The result of completion/complete: ids of runs, and paths of the run that `context` names; a
// prompt has no arguments. InvalidArgument: `params` are not those of the method; NotFound: no such
// prompt.
absl::StatusOr<Json> CompleteArgument(McpWorkspaces* workspaces, const Json& params);

// Objects of prompts/list: the recipes that agents load.
Json ListPrompts();
// The result of prompts/get. NotFound: no such prompt.
absl::StatusOr<Json> GetPrompt(const std::string& name);

}  // namespace stile

#endif  // STILE_AGENTS_MCP_RESOURCES_H_

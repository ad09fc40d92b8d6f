// Reads `mcp_servers:` of stile.yaml.
#ifndef STILE_RUNTIME_MCP_MCP_SETTINGS_READER_H_
#define STILE_RUNTIME_MCP_MCP_SETTINGS_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/yaml.h"
#include "runtime/mcp/mcp_settings.h"
#include "runtime/process/process_runner.h"

namespace stile {

// A map of names and servers. `args` is added to `command`, which may be a string. InvalidArgument
// names the place of a mistake.
absl::StatusOr<std::vector<McpServerSettings>> ParseMcpServers(const Yaml& yaml);

// With `${NAME}` in env, url and headers replaced by variables of `environment`.
// FailedPrecondition names a variable that is not set.
absl::StatusOr<McpServerSettings> WithVariables(McpServerSettings settings,
                                                const Environment& environment);

}  // namespace stile

#endif  // STILE_RUNTIME_MCP_MCP_SETTINGS_READER_H_

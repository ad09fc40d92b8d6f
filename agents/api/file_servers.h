// The MCP servers that the file of a story or a workflow names.
#ifndef STILE_AGENTS_API_FILE_SERVERS_H_
#define STILE_AGENTS_API_FILE_SERVERS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/api/agent.h"
#include "agents/api/session_context.h"
#include "runtime/journal/run_store.h"
#include "runtime/mcp/mcp_settings.h"

namespace stile {

// The servers of `text`, the content of `file`. InvalidArgument names the place of a mistake in
// them or in the syntax of the file; mistakes in other keys are overlooked.
absl::StatusOr<std::vector<McpServerSettings>> ServersIn(absl::string_view text,
                                                         const std::string& file);

// Whether the server, in an active sandbox, does no more than a command of a workflow can: it is a
// program, without the network, and its settings name no variable (`${NAME}`). Other servers count
// only in a file that the user trusts.
bool IsHarmless(const McpServerSettings& server);

// Options and services with the servers of a file beside those of the configuration.
struct FileContext {
  AgentOptions options;
  SessionContext context;  // refers to `options`
};
// `file`: of a story or workflow, also behind kBuiltinPrefix; "" and files that cannot be read have
// no servers. InvalidArgument: a mistake in them, or a name that the configuration has.
// FailedPrecondition: a server needs trust that the file does not have.
absl::StatusOr<std::unique_ptr<FileContext>> ContextForFile(const SessionContext& base,
                                                            const std::string& file);

// The file of the story or workflow that the run is, or is a step of; "" if there is none.
std::string FileOfRun(const RunStore& store, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_FILE_SERVERS_H_

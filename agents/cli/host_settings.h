// Where the settings of coding agents of others are on this machine.
#ifndef STILE_AGENTS_CLI_HOST_SETTINGS_H_
#define STILE_AGENTS_CLI_HOST_SETTINGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/cli/command.h"
#include "agents/hooks/agent_host.h"

namespace stile {

// The settings of the user, or of the project in `workspace` ("": the current folder).
// InvalidArgument: HOME is not set, there is no such folder, or the host has no such settings.
absl::StatusOr<std::string> HostFile(const CliContext& context, const AgentHost& host, bool project,
                                     const std::string& workspace);

// "" where there is no file.
absl::StatusOr<std::string> ReadHostFile(const std::string& file);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_HOST_SETTINGS_H_

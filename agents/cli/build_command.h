#ifndef STILE_AGENTS_CLI_BUILD_COMMAND_H_
#define STILE_AGENTS_CLI_BUILD_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile build: an agent writes a workflow and its tests, until both pass.
void DeclareBuild(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_BUILD_COMMAND_H_

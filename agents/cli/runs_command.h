#ifndef STILE_AGENTS_CLI_RUNS_COMMAND_H_
#define STILE_AGENTS_CLI_RUNS_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile runs list|show|diff|undo|resume|retry|prune
void DeclareRuns(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_COMMAND_H_

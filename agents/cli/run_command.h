#ifndef STILE_AGENTS_CLI_RUN_COMMAND_H_
#define STILE_AGENTS_CLI_RUN_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile run STORY | -t TEXT
void DeclareRun(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUN_COMMAND_H_

#ifndef STILE_AGENTS_CLI_STEP_COMMAND_H_
#define STILE_AGENTS_CLI_STEP_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile step: one request as JSON in; events and the result as JSON lines out
void DeclareStep(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_STEP_COMMAND_H_

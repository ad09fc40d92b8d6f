#ifndef STILE_AGENTS_CLI_CYCLE_COMMAND_H_
#define STILE_AGENTS_CLI_CYCLE_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile cycle run: coder, tests, auditors, and one commit of what they agreed on.
void DeclareCycle(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_CYCLE_COMMAND_H_

// The verb `stile gate`: other programs under the gate.
#ifndef STILE_AGENTS_CLI_GATE_COMMAND_H_
#define STILE_AGENTS_CLI_GATE_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareGate(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_GATE_COMMAND_H_

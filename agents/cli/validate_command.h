#ifndef STILE_AGENTS_CLI_VALIDATE_COMMAND_H_
#define STILE_AGENTS_CLI_VALIDATE_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile validate [PATH]
void DeclareValidate(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_VALIDATE_COMMAND_H_

#ifndef STILE_AGENTS_CLI_TRUST_COMMAND_H_
#define STILE_AGENTS_CLI_TRUST_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile trust
void DeclareTrust(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_TRUST_COMMAND_H_

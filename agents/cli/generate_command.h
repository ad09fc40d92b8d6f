#ifndef STILE_AGENTS_CLI_GENERATE_COMMAND_H_
#define STILE_AGENTS_CLI_GENERATE_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile generate: code.generate for people.
void DeclareGenerate(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_GENERATE_COMMAND_H_

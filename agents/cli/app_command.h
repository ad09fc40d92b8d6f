// `stile app`: a source file is written, validated, repaired, transpiled, smoke tested and
// delivered.
#ifndef STILE_AGENTS_CLI_APP_COMMAND_H_
#define STILE_AGENTS_CLI_APP_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareApp(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_APP_COMMAND_H_

// stile navigate, inspect, search and refactor: the code tools for people.
#ifndef STILE_AGENTS_CLI_CODE_COMMAND_H_
#define STILE_AGENTS_CLI_CODE_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareNavigate(CLI::App* app, CliContext* context);
void DeclareInspect(CLI::App* app, CliContext* context);
void DeclareRefactor(CLI::App* app, CliContext* context);
void DeclareSearch(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_CODE_COMMAND_H_

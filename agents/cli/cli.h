#ifndef STILE_AGENTS_CLI_CLI_H_
#define STILE_AGENTS_CLI_CLI_H_

#include <vector>

#include "agents/cli/command.h"

namespace stile {

// Every verb, in the order of the help.
const std::vector<Verb>& Verbs();

// Parses the command line, runs the verb and returns the exit code of the process. `context` holds
// the environment; the global flags are filled in here.
int RunCli(int argc, const char* const* argv, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_CLI_H_

// The verb `runs follow`: the events of a run while another process works on it.
#ifndef STILE_AGENTS_CLI_RUNS_FOLLOW_H_
#define STILE_AGENTS_CLI_RUNS_FOLLOW_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareRunsFollow(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_FOLLOW_H_

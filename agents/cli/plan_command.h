#ifndef STILE_AGENTS_CLI_PLAN_COMMAND_H_
#define STILE_AGENTS_CLI_PLAN_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// `stile plan`: a goal becomes a story.
void DeclarePlan(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_PLAN_COMMAND_H_

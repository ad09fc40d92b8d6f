// `stile events`: the types of events in --json output and journals, and their JSON Schema.
#ifndef STILE_AGENTS_CLI_EVENTS_COMMAND_H_
#define STILE_AGENTS_CLI_EVENTS_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareEvents(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_EVENTS_COMMAND_H_

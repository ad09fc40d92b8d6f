#ifndef STILE_AGENTS_CLI_WORKFLOW_COMMAND_H_
#define STILE_AGENTS_CLI_WORKFLOW_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// `stile workflow`: looks at workflow files.
void DeclareWorkflow(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_WORKFLOW_COMMAND_H_

// `stile workflow author`: an agent writes a workflow and its tests, until both pass.
#ifndef STILE_AGENTS_CLI_WORKFLOW_AUTHOR_H_
#define STILE_AGENTS_CLI_WORKFLOW_AUTHOR_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareWorkflowAuthor(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_WORKFLOW_AUTHOR_H_

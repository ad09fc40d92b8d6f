#ifndef STILE_AGENTS_CLI_PLAN_COMMAND_H_
#define STILE_AGENTS_CLI_PLAN_COMMAND_H_

#include "agents/cli/command.h"
#include "runtime/journal/run_store.h"

namespace stile {

// `stile plan`: a goal becomes a story.
void DeclarePlan(CLI::App* app, CliContext* context);

// For a run that was killed and has been resumed, and succeeded: if it planned, writes the story
// where it was to go. The exit code; 0, and nothing written, for other runs.
int DeliverResumedPlan(const CliContext& context, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_PLAN_COMMAND_H_

// stile models: what is known of models, their prices and limits.
#ifndef STILE_AGENTS_CLI_MODELS_COMMAND_H_
#define STILE_AGENTS_CLI_MODELS_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareModels(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_MODELS_COMMAND_H_

// The verbs by which coding agents of others are held to the gate at the end of their turns:
// `gate hook` is what they call, `gate install` writes it into their settings, `gate doctor` tries
// it.
#ifndef STILE_AGENTS_CLI_GATE_HOOK_H_
#define STILE_AGENTS_CLI_GATE_HOOK_H_

#include "agents/cli/command.h"

namespace stile {

void DeclareGateHook(CLI::App* app, CliContext* context);
void DeclareGateInstall(CLI::App* app, CliContext* context);
void DeclareGateDoctor(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_GATE_HOOK_H_

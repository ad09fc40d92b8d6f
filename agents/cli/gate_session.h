// The verbs `gate begin`, `gate status` and `gate finish`: sessions in which other programs and
// people change the files.
#ifndef STILE_AGENTS_CLI_GATE_SESSION_H_
#define STILE_AGENTS_CLI_GATE_SESSION_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/open_session.h"
#include "agents/api/session_choice.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/command.h"

namespace stile {

// The options under which an open session began.
absl::StatusOr<AgentOptions> OptionsOf(const CliContext& context, const OpenSession& session,
                                       bool alongside);

void DeclareGateBegin(CLI::App* app, CliContext* context);
void DeclareGateStatus(CLI::App* app, CliContext* context);
void DeclareGateFinish(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_GATE_SESSION_H_

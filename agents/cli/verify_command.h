// The verb `stile verify`, and how issues are shown.
#ifndef STILE_AGENTS_CLI_VERIFY_COMMAND_H_
#define STILE_AGENTS_CLI_VERIFY_COMMAND_H_

#include <string>

#include "agents/cli/command.h"
#include "agents/cli/output.h"
#include "runtime/verify/verify_state.h"

namespace stile {

// `stile verify`: declares its arguments, and what runs.
void DeclareVerify(CLI::App* app, CliContext* context);

// A line for each issue, the worst open ones first, and the effort that the plan needs.
std::string FormatIssues(const VerifyState& state, const Terminal& terminal);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_VERIFY_COMMAND_H_

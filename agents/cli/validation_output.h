#ifndef STILE_AGENTS_CLI_VALIDATION_OUTPUT_H_
#define STILE_AGENTS_CLI_VALIDATION_OUTPUT_H_

#include <string>

#include "agents/cli/output.h"
#include "runtime/validation/validation_service.h"

namespace stile {

// Diagnostics in the style of gcc, then a line for each target. `verbose` adds commands and output.
std::string ValidationText(const ValidationReport& report, const Terminal& terminal, bool verbose);

// 0 pass; 6 when a target could not be judged; else 1.
int ValidationExitCode(const ValidationReport& report, bool allow_flaky);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_VALIDATION_OUTPUT_H_

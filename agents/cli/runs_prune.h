// stile runs prune
#ifndef STILE_AGENTS_CLI_RUNS_PRUNE_H_
#define STILE_AGENTS_CLI_RUNS_PRUNE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agents/cli/command.h"
#include "runtime/journal/run_prune.h"

namespace stile {

void DeclareRunsPrune(CLI::App* app, CliContext* context);

// "90m", "12h", "30d", "2w": a whole number and s, m, h, d or w. InvalidArgument for anything else
// names `flag`.
absl::StatusOr<absl::Duration> ParseAge(absl::string_view flag, const std::string& text);

// What a person reads of it.
std::string FormatPrune(const PruneReport& report, bool dry_run);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_PRUNE_H_

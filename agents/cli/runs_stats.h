// `stile runs stats`: how runs went, all together.
#ifndef STILE_AGENTS_CLI_RUNS_STATS_H_
#define STILE_AGENTS_CLI_RUNS_STATS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agents/cli/command.h"
#include "runtime/base/json.h"
#include "runtime/journal/run_store.h"

namespace stile {

struct RunStats {
  // "7 of 9".
  struct Share {
    size_t count = 0;
    size_t of = 0;
  };
  std::map<std::string, size_t> outcomes;  // of runs, stories and workflows: "succeeded", …
  std::map<std::string, size_t> reasons;   // of those that failed: "gate_failed", …
  Share succeeded;                         // of those that have ended; unchanged counts as success
  // Of the runs and steps whose agent had code validated: those that passed at their first
  // validation. Validations that say nothing about the code (infra_error, no_validator) are passed
  // over.
  Share first_pass;
  int turns = 0;
  int64_t tokens = 0;
  double cost_usd = 0;
  absl::Duration duration;
};

// Of the runs in `workspace` ("": in all) that began after `since`. Damaged journals are left out.
absl::StatusOr<RunStats> CountRuns(const RunStore& store, const std::string& workspace,
                                   absl::Time since);
Json ToJson(const RunStats& stats);
std::string StatsText(const RunStats& stats);

void DeclareRunsStats(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_STATS_H_

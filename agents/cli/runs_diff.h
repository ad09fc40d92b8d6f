#ifndef STILE_AGENTS_CLI_RUNS_DIFF_H_
#define STILE_AGENTS_CLI_RUNS_DIFF_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/cli/output.h"
#include "runtime/journal/run_store.h"

namespace stile {

// Changes of a run (ChangesOfRun) as a patch that `git apply` takes, "" when nothing differs. Needs
// git; contents that are not in the store are named in an error. `run`: its folder holds what the
// patch is made from meanwhile.
absl::StatusOr<std::string> DiffChanges(RunStore* store, const RunPaths& run,
                                        const std::vector<RecordedChange>& changes,
                                        const Environment& environment);

// The patch made harmless for a terminal, with colours where it shows them.
std::string ColorDiff(absl::string_view diff, const Terminal& terminal);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_DIFF_H_

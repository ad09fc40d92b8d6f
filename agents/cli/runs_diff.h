#ifndef STILE_AGENTS_CLI_RUNS_DIFF_H_
#define STILE_AGENTS_CLI_RUNS_DIFF_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/cli/output.h"
#include "runtime/journal/run_store.h"

namespace stile {

// What a run, or all steps of a story together, changed. NotFound while a run has not ended.
absl::StatusOr<std::vector<RecordedChange>> ChangesOf(RunStore* store, const RunPaths& run);

// The changes as a patch that `git apply` takes, "" when nothing differs. Needs git; contents that
// are not in the store are named in an error.
absl::StatusOr<std::string> DiffRun(RunStore* store, const RunPaths& run,
                                    const Environment& environment);

// The patch made harmless for a terminal, with colours where it shows them.
std::string ColorDiff(absl::string_view diff, const Terminal& terminal);

// UndoRun for a run, and for the steps of a story from last to first.
absl::StatusOr<UndoReport> UndoWholeRun(RunStore* store, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUNS_DIFF_H_

// What a run changed, as a patch.
#ifndef STILE_AGENTS_API_RUN_DIFF_H_
#define STILE_AGENTS_API_RUN_DIFF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/journal/run_store.h"
#include "runtime/process/process_runner.h"

namespace stile {

// Changes of a run (ChangesOfRun) as a patch that `git apply` takes, "" when nothing differs. Needs
// git; contents that are not in the store are named in an error. `run`: its folder holds what the
// patch is made from meanwhile.
absl::StatusOr<std::string> DiffChanges(RunStore* store, const RunPaths& run,
                                        const std::vector<RecordedChange>& changes,
                                        const Environment& environment);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_DIFF_H_

// What a run changed with all its parts (steps of a story or a workflow), and taking that back.
#ifndef STILE_AGENTS_API_RUN_UNDO_H_
#define STILE_AGENTS_API_RUN_UNDO_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/clock.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_store.h"
#include "runtime/process/process_runner.h"

namespace stile {

// What these functions work with. Nothing is owned.
struct RunArchive {
  RunStore* store = nullptr;
  ProcessRunner* runner = nullptr;
  Clock* clock = nullptr;
};

// Of a run that ended as it recorded them, of one that was killed by ChangesOfKilledRun; of several
// parts the first content before and the last one after. Sorted by path. FailedPrecondition while a
// process works on the run.
absl::StatusOr<std::vector<RecordedChange>> ChangesOfRun(const RunArchive& archive,
                                                         const RunPaths& run);

// Takes the run back from any state: its parts from last to first (see UndoChanges), and the
// working trees and the branch of a story (see TakeBackGround). The run, and each part, has ended
// with that (UndoRecord). The report is of this call. FailedPrecondition while a process works on
// the run or on a part. After an error, or a kill, a second call finishes the work.
absl::StatusOr<UndoReport> UndoWholeRun(const RunArchive& archive, const RunPaths& run);

// The same for one run of a step, whose story is about to do the step again. Where a file stays,
// the run has not ended with that.
absl::StatusOr<UndoReport> UndoStepToRetry(const RunArchive& archive, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_UNDO_H_

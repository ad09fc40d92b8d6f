// What a run changed with all its parts (steps of a story or a workflow), and taking that back.
#ifndef STILE_AGENTS_API_RUN_UNDO_H_
#define STILE_AGENTS_API_RUN_UNDO_H_

#include <vector>

#include "absl/status/status.h"
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

// The changes of a run and all its steps, sorted by path. If several steps changed a path: the
// first content before and the last one after. A killed run has recorded none, so
// ChangesOfKilledRun finds them. FailedPrecondition while a process works on the run; DataLoss if a
// record is damaged.
absl::StatusOr<std::vector<RecordedChange>> ChangesOfRun(const RunArchive& archive,
                                                         const RunPaths& run);

// Takes the run back from any state: its parts from last to first (see UndoChanges), and the
// working trees and the branch of a story (see TakeBackGround). The run, and each part, has ended
// with that (UndoRecord). The report is of this call. FailedPrecondition while a process works on
// the run or on a part, and, with `alone`, while another run works in the same workspace. After an
// error, or a kill, a second call finishes the work.
absl::StatusOr<UndoReport> UndoWholeRun(const RunArchive& archive, const RunPaths& run, bool alone);

// FailedPrecondition if the run was undone or retried: it has ended and cannot go on.
absl::Status CheckNotUndone(const RunPaths& run);

// Undoes one run of a step that its story is about to repeat. Marks the run undone only if every
// file was restored. FailedPrecondition while a process works on it.
absl::StatusOr<UndoReport> UndoStepToRetry(const RunArchive& archive, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_UNDO_H_

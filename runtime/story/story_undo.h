// Takes back what a story made in its repository: working trees and its branch.
#ifndef STILE_RUNTIME_STORY_STORY_UNDO_H_
#define STILE_RUNTIME_STORY_STORY_UNDO_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_store.h"
#include "runtime/process/process_runner.h"
#include "runtime/story/story_history.h"

namespace stile {

// For a story whose steps have been undone, with the result in `report`; adds to its `removed` and
// `left`. Removes the working trees of waves. If nothing was committed and every file was restored,
// also removes the story's second working tree (unless it holds other files) and the branch that
// the story made (unless it has commits). A working tree on that branch goes back to what was
// checked out before.
//
// FailedPrecondition where the repository cannot be opened. Other errors of git become entries of
// `left`. Safe to repeat.
absl::Status TakeBackGround(ProcessRunner* runner, RunStore* store, const std::string& run_id,
                            const StoryHistory& history, UndoReport* report);

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_UNDO_H_

// The ground on which a story is resumed or retried: what its steps left in the workspace.
#ifndef STILE_AGENTS_API_STORY_GROUND_H_
#define STILE_AGENTS_API_STORY_GROUND_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/api/run_undo.h"
#include "runtime/story/story.h"
#include "runtime/story/story_history.h"

namespace stile {

// What the steps before `next` left in the story's workspace, the latest for each path.
absl::StatusOr<std::vector<RecordedChange>> AcceptedBefore(const RunArchive& archive,
                                                           const StoryHistory& history, int next);

// Before a story goes on at step `next`: OK where the files hold what the steps before it left, and
// those that have ended though the story's journal does not say so. FailedPrecondition names the
// first step whose work is not there, and how to do it again. `run_id` is that of the story.
absl::Status CheckStepsStand(const RunArchive& archive, const StoryHistory& history,
                             const std::string& run_id, int next);

// The same for what the steps before `next` of `story` were expected to leave: files_exist,
// file_contains and file_not_contains are looked at again, so that files are seen which no run
// records because version control ignores them. Paths are passed over that the step's own run or a
// later one changed, and steps of a wave, which worked elsewhere. FailedPrecondition names the step
// and what is not met.
absl::Status CheckExpectationsStand(const RunArchive& archive, const StoryHistory& history,
                                    const Story& story, const std::string& run_id, int next);

// Puts back what the steps from `first_step` on changed in the story's workspace, the newest first;
// their runs have ended with that. FailedPrecondition, and nothing is changed, when the story's
// branch is not checked out, when somebody changed such a file since, or when the work of an
// earlier step is not there. A file whose old content was not stored is found only then:
// FailedPrecondition names it, and a second call finishes the work once it was put back.
absl::Status ResetSteps(const RunArchive& archive, const StoryHistory& history, const Story& story,
                        const std::string& run_id, int first_step);

}  // namespace stile

#endif  // STILE_AGENTS_API_STORY_GROUND_H_

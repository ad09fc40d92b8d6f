// Tells runs of each other that want to work in one workspace.
#ifndef STILE_AGENTS_API_WORKSPACE_CLAIM_H_
#define STILE_AGENTS_API_WORKSPACE_CLAIM_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/file_lock.h"

namespace stile {

// Held by a run, story or workflow while it works in `workspace`; a process that dies gives it up.
// With `alone`: FailedPrecondition, with the other's id and process, while somebody else holds it.
// Without: a lock that is not held then, as the caller goes on all the same.
absl::StatusOr<FileLock> ClaimWorkspace(const RunStore& store, const std::string& workspace,
                                        bool alone);

// The id of the story that a process runs in the working tree `folder`: one of its own, named after
// the story, or one in which it works in place. "" if there is none.
std::string StoryIn(const RunStore& store, const std::string& folder);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKSPACE_CLAIM_H_

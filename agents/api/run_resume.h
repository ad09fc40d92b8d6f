// Which runs can go on.
#ifndef STILE_AGENTS_API_RUN_RESUME_H_
#define STILE_AGENTS_API_RUN_RESUME_H_

#include "absl/status/status.h"
#include "runtime/journal/run_store.h"

namespace stile {

// OK if `run` can be resumed: it was interrupted or failed, has begun, was not undone, and is no
// command of a workflow. FailedPrecondition says why it cannot, and what to do.
absl::Status CheckCanResume(const RunPaths& run, const RunSummary& summary);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_RESUME_H_

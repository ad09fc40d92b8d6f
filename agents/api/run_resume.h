// Which runs can go on.
#ifndef STILE_AGENTS_API_RUN_RESUME_H_
#define STILE_AGENTS_API_RUN_RESUME_H_

#include "absl/status/status.h"
#include "runtime/journal/run_store.h"

namespace stile {

// Whether `run` was interrupted or ended without success, and is no part of another one.
// FailedPrecondition says why it cannot go on, and what to do.
absl::Status CheckCanResume(const RunPaths& run, const RunSummary& summary);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUN_RESUME_H_

// Removes old runs from the store, and what only they needed.
#ifndef STILE_RUNTIME_JOURNAL_RUN_PRUNE_H_
#define STILE_RUNTIME_JOURNAL_RUN_PRUNE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/journal/run_store.h"

namespace stile {

struct PruneOptions {
  absl::Time before = absl::InfiniteFuture();  // only runs that began earlier
  size_t keep = 0;           // of the runs that could go, this many of the newest stay
  bool interrupted = false;  // also runs that were killed and could be resumed
  bool dry_run = false;      // only say what would be removed
};

struct PruneReport {
  struct Kept {
    std::string id;
    std::string reason;
  };
  std::vector<RunSummary> removed;  // newest first; stories and workflows with all their steps
  std::vector<Kept> kept;           // runs that are old enough and stay all the same
  size_t contents = 0;              // stored file contents that no kept run needs
  size_t workspaces = 0;            // what was remembered of workspaces that are gone
  uint64_t bytes = 0;               // of all that was removed
  // Contents and workspaces were left alone, because a run is at work.
  bool is_partial = false;
};

// A run stays while a process works on it, while a working tree of it exists, while a kept run is
// its retry, and, unless the options say otherwise, while it can be resumed. Runs that begin
// meanwhile wait. A status means that the store cannot be read; what was removed is gone then.
absl::StatusOr<PruneReport> PruneRuns(RunStore* store, const PruneOptions& options);

}  // namespace stile

#endif  // STILE_RUNTIME_JOURNAL_RUN_PRUNE_H_

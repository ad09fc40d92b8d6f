// What a run had changed when its process was killed, before it could record that.
#ifndef STILE_AGENTS_API_KILLED_RUN_H_
#define STILE_AGENTS_API_KILLED_RUN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_store.h"
#include "runtime/process/process_runner.h"

namespace stile {

struct KilledRunChange {
  RecordedChange change;
  bool is_witnessed = false;  // the journal names the path
};

// Compares the workspace with the baseline of the run. Of the paths that differ, these are the
// run's:
// - those that its journal names, with the content that it names, whatever they hold now;
// - where the process was killed during a tool call or a validation: all others as well, with the
//   content they have now, since the journal does not know what that call had done.
// A path that differs otherwise was changed by somebody else and is left out.
//
// Both contents of each change are in the blob store afterwards, as far as they can be had. To be
// called while no process works on the run. NotFound when the run ended before its baseline was
// kept: it has changed nothing. Blocks while the workspace is read.
absl::StatusOr<std::vector<KilledRunChange>> ChangesOfKilledRun(RunStore* store,
                                                                ProcessRunner* runner,
                                                                const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_KILLED_RUN_H_

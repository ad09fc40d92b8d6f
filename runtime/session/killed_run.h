// What a run had changed when its process was killed, before it could record that.
#ifndef STILE_RUNTIME_SESSION_KILLED_RUN_H_
#define STILE_RUNTIME_SESSION_KILLED_RUN_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_store.h"
#include "runtime/process/process_runner.h"
#include "runtime/workspace/ignore_rules.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// Compares the workspace with the baseline of the run. The run changed a path that differs if
// - its journal names the path; the journal's content counts, whatever the file holds now; or
// - the process was killed during a tool call or a validation, and the file was written between
//   the baseline and the kill (LastAlive); its present content counts. A deleted file counts if its
//   folder has not changed since the kill.
// Every other difference is by somebody else and is left out. While a session of an ExternalBody is
// open, every difference is its own.
//
// Both contents of each change are in the blob store afterwards, as far as they can be had. To be
// called while no process works on the run. NotFound when the run ended before its baseline was
// kept: it has changed nothing. Blocks while the workspace is read.
absl::StatusOr<std::vector<RecordedChange>> ChangesOfKilledRun(RunStore* store,
                                                               ProcessRunner* runner,
                                                               const RunPaths& run);

// The baseline with which a run goes on.
struct ResumedBaseline {
  Snapshot baseline;
  // Paths that others changed while no process worked on the run, and the run had not: they have
  // their present content in the baseline, so that they do not count as its work. Sorted.
  std::vector<std::string> foreign;
  // As they stood when the run began; nullopt in runs of older versions.
  std::optional<IgnoreRules> rules;
  std::optional<std::map<std::string, std::optional<Sha256Digest>>> differing;
};

// Where the folder of a run keeps SerializeDiffering of its beginning.
std::string DifferingFile(const RunPaths& run);

// For a run that ended without success, or was killed; replaces the baseline in its folder. What
// the run had changed stays its work, whatever those paths hold now. To be called before a process
// works on it again.
absl::StatusOr<ResumedBaseline> TakeUpBaseline(RunStore* store, ProcessRunner* runner,
                                               const RunPaths& run);

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_KILLED_RUN_H_

// Where runs are kept: one folder a run, outside every workspace.
#ifndef STILE_RUNTIME_JOURNAL_RUN_STORE_H_
#define STILE_RUNTIME_JOURNAL_RUN_STORE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_summary.h"
#include "runtime/workspace/blob_store.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// Files of one run. Run ids contain letters, digits, '.' and '-' only, at most 128, and do not
// start with '.' or '-'.
struct RunPaths {
  std::string id;
  std::string folder;
  std::string journal;       // journal.jsonl
  std::string baseline;      // baseline.snapshot: the workspace at the start
  std::string ignore_rules;  // ignore_rules.json: those at the start (IgnoreRules::Serialize)
  std::string outputs;       // outputs/: whole tool results that were cut for the model
  std::string changes;       // changes.json: what the run changed (RecordedChange)
  std::string certificate;   // certificate.json
  std::string report;        // report.json: of a workflow, when it has ended
  std::string artifacts;     // artifacts/: what commands of a workflow left, made when one runs
  std::string logs;    // logs/: what steps of a workflow printed, in full; no step can write it
  std::string alive;   // touched while a process works on the run (Heartbeat)
  std::string lock;    // locked while a process works on the run (RunLock)
  std::string undone;  // undone: there since what the run changed was put back (UndoRecord)
};

// Whether what the run changed was put back, so that it cannot go on. See UndoRecord.
bool WasUndone(const RunPaths& run);

// The state folder: $STILE_STATE_DIR, else $XDG_STATE_HOME/stile, else ~/.local/state/stile.
// Thread-safe; several processes may use one store.
class RunStore {
 public:
  // `fs` not owned. Nothing is written before the first Create or WorkspaceDir.
  RunStore(FileSystem* fs, std::string state_dir);

  const std::string& state_dir() const { return state_dir_; }
  BlobStore* blobs() { return &blobs_; }
  std::string edits_dir() const { return state_dir_ + "/edits"; }          // for EditTransaction
  std::string worktrees_dir() const { return state_dir_ + "/worktrees"; }  // for StoryOptions

  // Makes the folders of a new run, readable by the user alone. AlreadyExists if the id is taken;
  // InvalidArgument if it is no run id.
  absl::StatusOr<RunPaths> Create(const std::string& id);
  // By full id or unique prefix of one (a story's id wins over its steps'); NotFound (with the
  // nearest ids) or InvalidArgument (ambiguous, or no run id).
  absl::StatusOr<RunPaths> Find(const std::string& id_or_prefix) const;
  // By full id alone, without a look at other runs. NotFound, or InvalidArgument (no run id).
  absl::StatusOr<RunPaths> FindWhole(const std::string& id) const;
  // Newest first; steps of stories only when `with_steps`. Damaged runs are listed with outcome
  // "damaged".
  absl::StatusOr<std::vector<RunSummary>> List(bool with_steps) const;
  // The steps of a story or a workflow, oldest first; damaged ones as in List.
  absl::StatusOr<std::vector<RunSummary>> StepsOf(const std::string& id) const;
  // Those that have a report, newest first.
  absl::StatusOr<std::vector<RunPaths>> RunsWithReport() const;
  // Reads the two ends of the journal only. DataLoss when they are damaged.
  absl::StatusOr<RunSummary> Summarize(const RunPaths& run) const;

  // Per-workspace state that outlives runs (validator state, pending changes), created if missing.
  absl::StatusOr<std::string> WorkspaceDir(const std::string& workspace) const;

 private:
  RunPaths PathsOf(const std::string& id) const;
  RunSummary SummarizeOrDamaged(const RunPaths& run) const;
  absl::StatusOr<std::vector<std::string>> Ids() const;

  FileSystem* fs_;
  std::string state_dir_;
  BlobStore blobs_;
};

// No run is at work, and none can begin, while this object lives; released when the process dies.
class StoreLock {
 public:
  // nullopt when a run is at work, or the lock cannot be had.
  static std::optional<StoreLock> TryAcquire(const std::string& state_dir);
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&& other) noexcept;
  ~StoreLock();

 private:
  friend class RunLock;
  explicit StoreLock(int fd) : fd_(fd) {}
  // Beside other runs. Waits while somebody has the whole store.
  static absl::StatusOr<StoreLock> Share(const std::string& state_dir);
  int fd_;
};

// Held while this object lives, also against this process; released when the process dies.
class RunLock {
 public:
  // FailedPrecondition when somebody holds it. Waits while a StoreLock is held.
  static absl::StatusOr<RunLock> Acquire(const RunPaths& run);
  // Whether somebody holds it now. Never disturbs an Acquire.
  static bool IsHeld(const RunPaths& run);
  // Blocks while somebody holds it, at most `patience`. A process that was killed can leave it for
  // moments to a child that had not yet started its program.
  static void AwaitRelease(const RunPaths& run, absl::Duration patience = absl::Seconds(1));
  // The process that holds it; 0 if none does, or it cannot be told.
  static int HolderOf(const RunPaths& run);
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();

 private:
  explicit RunLock(int fd) : fd_(fd) {}
  int fd_;
  std::optional<StoreLock> store_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_JOURNAL_RUN_STORE_H_

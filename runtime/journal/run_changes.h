// What a run changed, as the run folder keeps it, and taking it back.
#ifndef STILE_RUNTIME_JOURNAL_RUN_CHANGES_H_
#define STILE_RUNTIME_JOURNAL_RUN_CHANGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/sha256.h"
#include "runtime/workspace/file_system.h"

namespace stile {

class RunStore;
struct RunPaths;

// One file that differs between start and end of a run; contents are in the blob store (for a
// symlink the text of the link).
struct RecordedChange {
  std::string path;                    // raw bytes, relative to the workspace
  std::optional<Sha256Digest> before;  // nullopt: did not exist
  std::optional<Sha256Digest> after;   // nullopt: deleted
  uint32_t before_mode = 0;            // st_mode
  uint32_t after_mode = 0;
};

// Replaces what is recorded so far, atomically. Paths that are not UTF-8 survive ("path_base64").
absl::Status WriteChanges(FileSystem* fs, const RunPaths& run,
                          const std::vector<RecordedChange>& changes);
// NotFound when the run recorded none (it has not ended); DataLoss when the file is damaged.
absl::StatusOr<std::vector<RecordedChange>> ReadChanges(const RunPaths& run);

// Those of the paths that do not hold what was left there (`after`): content, kind, executable
// bits. What cannot be read counts among them.
std::vector<std::string> NoLongerHeld(const std::string& workspace,
                                      const std::vector<RecordedChange>& changes);

struct UndoReport {
  std::vector<std::string> restored;
  std::vector<std::string> kept;  // changed since by somebody else: left alone
  std::vector<std::string>
      lost;  // the original is not in the store (or no regular file): left alone
  std::vector<std::string> removed;  // working trees and branches, each as words for people
  std::vector<std::string> left;     // such that stay, each with the reason
};
// Puts back what a run found at its start (content, executable bits, symlinks, deletions), at
// those paths that still hold what the run left there; paths that hold the original already are in
// no list. On error everything is as it was before the call. After a crash in the middle a
// second call finishes the work. Folders that the run made stay, empty.
absl::StatusOr<UndoReport> UndoChanges(FileSystem* fs, RunStore* store,
                                       const std::vector<RecordedChange>& changes,
                                       const std::string& workspace);

// That a run was taken back, as its folder keeps it. Such a run has ended: it cannot go on.
struct UndoRecord {
  absl::Time time;
  bool begun_again = false;  // a retry of its story took its steps back and did them again
  UndoReport report;         // of all calls together
};
// Replaces what is recorded so far, atomically.
absl::Status WriteUndone(FileSystem* fs, const RunPaths& run, const UndoRecord& record);
// nullopt: it was not undone. A record that says nothing (of an older version, or damaged) has the
// time of its file.
absl::StatusOr<std::optional<UndoRecord>> ReadUndone(const RunPaths& run);

}  // namespace stile

#endif  // STILE_RUNTIME_JOURNAL_RUN_CHANGES_H_

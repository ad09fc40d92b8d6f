// The record that makes an EditTransaction recoverable: what the files held before, and what they
// are going to hold. It is on disk from before the first change until all are made.
#ifndef STILE_RUNTIME_WORKSPACE_EDIT_RECORD_H_
#define STILE_RUNTIME_WORKSPACE_EDIT_RECORD_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/clock.h"
#include "runtime/base/sha256.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/file_system.h"

namespace stile {

struct EditRecord {
  struct Entry {
    std::string relative;
    std::string temp_name;              // beside the target, of what is to be renamed over it
    std::optional<std::string> before;  // nullopt: did not exist
    int before_mode = 0;
    std::optional<Sha256Digest> after;  // nullopt: deleted
    // What else of ours it may hold: the earlier attempts of TentativeEdits.
    std::vector<std::optional<Sha256Digest>> tried;
  };
  std::string root;
  std::vector<Entry> entries;
  std::vector<std::string> new_folders;  // relative, parents first
};

std::string SerializeEditRecord(const EditRecord& record);
absl::StatusOr<EditRecord> ParseEditRecord(absl::string_view text);

// Puts the old contents back where the new ones are, and removes what else the transaction made.
// Files that hold something else are left alone. Can be repeated.
absl::StatusOr<Restored> TakeBack(FileSystem* fs, const EditRecord& record);

// Where below `journal_dir` the records of the workspace `root` lie, with their lock: what is under
// way in one workspace, or damaged, is nothing to the others.
std::string EditJournalFolder(const std::string& journal_dir, const std::string& root);

// Keeps recovery and transactions apart: those at work share it, recovery has it alone. Released
// when this object or the process ends.
class EditJournalLock {
 public:
  // Makes the folder. Shared: waits for a recovery to end. Alone: waits `patience` for transactions
  // under way, then Unavailable.
  static absl::StatusOr<EditJournalLock> Share(FileSystem* fs, const std::string& folder);
  static absl::StatusOr<EditJournalLock> TakeAlone(FileSystem* fs, Clock* clock,
                                                   const std::string& folder,
                                                   absl::Duration patience);
  EditJournalLock(EditJournalLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  EditJournalLock& operator=(EditJournalLock&&) = delete;
  ~EditJournalLock();

 private:
  explicit EditJournalLock(int fd) : fd_(fd) {}
  int fd_;
};

// The content of a regular file, nullopt if there is none.
absl::StatusOr<std::optional<std::string>> ReadIfExists(FileSystem* fs, const std::string& path);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_EDIT_RECORD_H_

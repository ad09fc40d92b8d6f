// The only way in which Stile itself changes files of a workspace: all of a set of edits, or none.
#ifndef STILE_RUNTIME_WORKSPACE_EDIT_TRANSACTION_H_
#define STILE_RUNTIME_WORKSPACE_EDIT_TRANSACTION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/clock.h"
#include "runtime/workspace/file_system.h"

namespace stile {

struct EditRecord;

// What taking edits back came to; paths relative to the workspace, sorted.
struct Restored {
  std::vector<std::string> changed;  // hold what they held before again
  std::vector<std::string> foreign;  // left alone: somebody else has written them since
};

// Gather edits, then Commit. Files are written beside their targets, fsynced, and renamed over
// them; a record in `journal_dir` makes a crash in the middle recoverable (RecoverTransactions).
// Not thread-safe; one transaction at a time per workspace.
class EditTransaction {
 public:
  // `root`: the workspace, absolute, no symlinks. `journal_dir`: outside the workspace, created if
  // missing. `fs` not owned.
  EditTransaction(FileSystem* fs, std::string root, std::string journal_dir);

  // Paths as ResolveInWorkspace takes them; its errors come back from here. A symlink is written
  // through, to the file it leads to, but cannot be deleted or moved (FailedPrecondition). Each
  // file once (InvalidArgument). Write keeps the mode of an existing file, or uses `mode`, less the
  // umask, for a new one.
  absl::Status Write(absl::string_view path, std::string content, int mode = 0644);
  // NotFound comes from Commit if there is no such file.
  absl::Status Delete(absl::string_view path);
  // Reads `from` now; Commit then expects it unchanged. NotFound, or AlreadyExists when there is
  // something at `to`.
  absl::Status Move(absl::string_view from, absl::string_view to);

  // Nothing is applied at Commit unless the file then has this content (nullopt: is absent). The
  // path need not have an edit.
  void Expect(absl::string_view path, std::optional<std::string> content);

  // Applies everything or nothing. On error (Aborted for an unmet expectation, the file system's
  // own otherwise) every file has its old content back; DataLoss if even that failed, which then is
  // left to RecoverTransactions. Empty folders left by deletions stay. To be called once.
  absl::Status Commit();

  // After Commit: puts the old contents back, but only at paths that still hold what this
  // transaction wrote; the others are returned, untouched. Again all or nothing.
  absl::StatusOr<std::vector<std::string>> Undo();

  // Paths with an edit, relative, sorted.
  std::vector<std::string> paths() const;

 private:
  struct Edit {
    std::string relative;
    std::string absolute;
    std::optional<std::string> content;  // nullopt: delete
    int mode = 0644;                     // of a new file
    std::optional<std::string> before;   // read at Commit
    int before_mode = 0644;
  };
  struct Expectation {
    std::string path;
    std::optional<std::string> content;
  };
  absl::Status Add(absl::string_view path, std::optional<std::string> content, int mode);
  absl::Status ReadBefore();
  absl::Status CheckExpectations() const;
  EditRecord MakeRecord() const;
  absl::Status Apply(const EditRecord& record);

  FileSystem* fs_;
  std::string root_;
  std::string journal_dir_;
  std::vector<Edit> edits_;
  std::vector<Expectation> expectations_;
  bool committed_ = false;
};

// Takes back transactions in the workspace `root` that a crash interrupted, from the records in
// `journal_dir` (none if it is missing), but only in files that hold what the transaction wrote.
// Records of other workspaces stay for them. Call before any other work in the workspace. DataLoss
// for a damaged record; Unavailable where transactions of another process in this workspace do not
// end within seconds.
absl::StatusOr<Restored> RecoverTransactions(FileSystem* fs, Clock* clock,
                                             const std::string& journal_dir,
                                             const std::string& root);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_EDIT_TRANSACTION_H_

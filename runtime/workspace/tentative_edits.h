// Edits that are tried out: a compiler is asked about them, and they may have to go again.
#ifndef STILE_RUNTIME_WORKSPACE_TENTATIVE_EDITS_H_
#define STILE_RUNTIME_WORKSPACE_TENTATIVE_EDITS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/workspace/edit_record.h"
#include "runtime/workspace/file_lock.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Each attempt is an EditTransaction. Until Keep, a record in `journal_dir` has what the files held
// before the first: RecoverTransactions brings it back after a crash, the destructor otherwise. Not
// thread-safe; while one has edits, recovery in the same workspace waits for it.
class TentativeEdits {
 public:
  // As for EditTransaction.
  TentativeEdits(FileSystem* fs, std::string root, std::string journal_dir);
  TentativeEdits(const TentativeEdits&) = delete;
  TentativeEdits& operator=(const TentativeEdits&) = delete;
  ~TentativeEdits();

  struct Content {
    std::optional<std::string> text;  // nullopt: there is no such file
    int mode = 0644;                  // of a new file, less the umask
  };

  // The first attempt at this path fails with Aborted unless the file holds `text` then.
  void Expect(const std::string& path, std::optional<std::string> text);

  // Makes the workspace hold `wanted` (by path relative to the workspace), and at paths of earlier
  // attempts that are not named what was there before the first. All or nothing. Aborted when
  // somebody else changed one of the files meanwhile, or is trying out something here, too.
  absl::Status Try(const std::map<std::string, Content>& wanted);

  // The last attempt stays. Nothing may be tried afterwards.
  absl::Status Keep();
  // Everything is as it was before the first attempt. Files that somebody else changed are left
  // alone and returned.
  absl::StatusOr<std::vector<std::string>> TakeBack();

 private:
  struct File {
    Content before;
    std::optional<std::string> now;
    std::vector<std::optional<Sha256Digest>> tried;
  };
  absl::Status Note(const std::map<std::string, Content>& wanted);
  EditRecord MakeRecord() const;

  FileSystem* const fs_;
  const std::string root_;
  const std::string journal_dir_;
  std::optional<EditJournalLock> lock_;
  FileLock alone_;
  std::string record_path_;
  std::map<std::string, File> files_;
  std::map<std::string, std::optional<std::string>> expected_;
  std::vector<std::string> new_folders_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_TENTATIVE_EDITS_H_

#include "runtime/workspace/edit_set.h"

#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/edit_record.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

absl::StatusOr<std::vector<std::string>> MakeEdits(FileSystem* file_system,
                                                   const std::string& workspace,
                                                   const std::string& journal_dir,
                                                   const EditSet& edits) {
  if (!edits.obstacle.empty()) return absl::FailedPreconditionError(ToUtf8(edits.obstacle));
  EditTransaction transaction(file_system, workspace, journal_dir);
  std::vector<std::string> paths;
  for (const PlannedFile& file : edits.files) {
    const auto now = ReadIfExists(file_system, JoinPath(workspace, file.path));
    if (now.ok() && *now == file.after) continue;
    transaction.Expect(file.path, file.before);
    STILE_RETURN_IF_ERROR(file.after.has_value()
                              ? transaction.Write(file.path, *file.after, file.mode)
                              : transaction.Delete(file.path));
    paths.push_back(file.path);
  }
  if (!paths.empty()) STILE_RETURN_IF_ERROR(transaction.Commit());
  return paths;
}

}  // namespace stile

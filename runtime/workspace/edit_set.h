// Edits of files that are known before they are made, as when work of another working tree is
// merged.
#ifndef STILE_RUNTIME_WORKSPACE_EDIT_SET_H_
#define STILE_RUNTIME_WORKSPACE_EDIT_SET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/workspace/file_system.h"

namespace stile {

struct PlannedFile {
  std::string path;                   // raw bytes, relative to the workspace
  std::optional<std::string> before;  // the content that is expected there; nullopt: no file
  std::optional<std::string> after;   // nullopt: the file is deleted
  int mode = 0644;                    // of a new file
};

struct EditSet {
  std::vector<PlannedFile> files;
  std::string obstacle;  // why the edits cannot be made; "": they can
};

// Changes the files of `edits` in `workspace` (absolute), all or none, and returns the paths that
// changed, in their order. Files that have their content already are left alone, so that the call
// can be repeated after a crash. `journal_dir` as in EditTransaction. FailedPrecondition: the
// obstacle, or a file that is neither as before nor as after.
absl::StatusOr<std::vector<std::string>> MakeEdits(FileSystem* file_system,
                                                   const std::string& workspace,
                                                   const std::string& journal_dir,
                                                   const EditSet& edits);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_EDIT_SET_H_

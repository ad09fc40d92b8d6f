// The answer of `git status`, and how its text is read.
#ifndef STILE_RUNTIME_GIT_GIT_STATUS_H_
#define STILE_RUNTIME_GIT_GIT_STATUS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

struct GitStatusEntry {
  std::string code;  // the two letters of `git status --porcelain=v1`, e.g. " M", "??", "UU"
  std::string path;  // raw bytes, relative to the working tree's root
};

struct GitStatus {
  std::string commit;  // that the entries were compared with; "" before the first one
  std::string branch;  // "" when HEAD is detached
  std::vector<GitStatusEntry> entries;
};

// Reads the output of `git status --porcelain=v2 --branch -z --no-renames`; git-status(1) describes
// the format. Internal error on text of another form.
absl::StatusOr<GitStatus> ParseGitStatus(absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_GIT_GIT_STATUS_H_

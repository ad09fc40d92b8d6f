#ifndef STILE_RUNTIME_WORKSPACE_WORKSPACE_PATH_H_
#define STILE_RUNTIME_WORKSPACE_WORKSPACE_PATH_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// A path that is known to lie inside the workspace after every symlink in it has been followed.
struct WorkspacePath {
  std::string
      relative;  // with '/' separators, no ".", "..", or empty parts; "." is the root itself
  std::string absolute;
};

// Checks `path` (absolute, or relative to `root`) as it stands on disk now; the file, and folders
// above it, need not exist. `root` must be absolute and free of symlinks (see RealPath).
// PermissionDenied when it leaves the workspace, by "..", by an absolute path, or through a
// symlink; also for anything in a ".git" folder, which only git may write. InvalidArgument for an
// empty path or a NUL byte. The messages are fit for a model to read.
absl::StatusOr<WorkspacePath> ResolveInWorkspace(absl::string_view root, absl::string_view path);

// The absolute path of an existing file or folder with all symlinks followed.
absl::StatusOr<std::string> RealPath(absl::string_view path);

// Where a symlink leads, as its text says.
absl::StatusOr<std::string> ReadLink(const std::string& path);

// "a/b/../c" and "./a//c" → "a/c". Purely textual. A leading ".." stays.
std::string CleanPath(absl::string_view path);

// dir + "/" + name, where "." or "" for `dir` adds nothing.
std::string JoinPath(absl::string_view dir, absl::string_view name);

// The part before the last '/', "." if there is none.
std::string DirName(absl::string_view path);
std::string BaseName(absl::string_view path);

// Whether `path` is `dir` or lies below it; both clean and relative to the same folder ("." holds
// all).
bool IsWithin(absl::string_view path, absl::string_view dir);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_WORKSPACE_PATH_H_

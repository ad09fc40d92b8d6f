#ifndef STILE_RUNTIME_TOOL_FILE_WALK_H_
#define STILE_RUNTIME_TOOL_FILE_WALK_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/tool/tool.h"
#include "runtime/workspace/directory_cache.h"
#include "runtime/workspace/disk_stamp.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

struct WalkEntry {
  enum class Kind { kFile, kFolder, kSymlink, kOther };
  std::string path;  // relative to the workspace, raw bytes
  Kind kind = Kind::kFile;
  DiskStamp stamp;  // of files
};

struct WalkSummary {
  size_t ignored = 0;     // entries left out by the ignore rules, an ignored folder being one
  size_t unreadable = 0;  // folders that could not be listed
  bool cut = false;       // ended early: too many entries
};

// Visits what lies in the folder `start`, folders before their content, names in byte order. Leaves
// out ".git" and what the ignore rules exclude (the usual build and dependency folders where there
// is no git); when `start` itself is ignored, nothing below it is. Symlinks are visited, never
// followed. `visit` returns false to end the walk. Cancelled when the context is; other errors come
// from listing `start`. `folders` (may be null) knows the folders of an earlier walk.
absl::StatusOr<WalkSummary> WalkFiles(const ToolContext& context, const WorkspacePath& start,
                                      bool recursive,
                                      const std::function<bool(const WalkEntry&)>& visit,
                                      DirectoryCache* folders = nullptr);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_FILE_WALK_H_

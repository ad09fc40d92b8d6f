#ifndef STILE_RUNTIME_TOOL_FILE_WALK_H_
#define STILE_RUNTIME_TOOL_FILE_WALK_H_

#include <functional>
#include <string>
#include <vector>

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

// What a walk can ask instead of the disk. Nothing is owned.
struct WalkSources {
  DirectoryCache* folders = nullptr;  // knows the folders of an earlier walk; may be null
  // The paths that git tracks, relative to the workspace and sorted: they are never ignored. Asked
  // for as soon as something is ignored. Empty: none are known.
  std::function<const std::vector<std::string>&()> tracked;
};

// Visits what lies in the folder `start`, folders before their content, names in byte order. Leaves
// out ".git" and what the ignore rules exclude (the usual build and dependency folders where there
// is no git); when `start` itself is ignored, nothing below it is. Symlinks are visited, never
// followed. `visit` returns false to end the walk. Cancelled when the context is; other errors come
// from listing `start`.
absl::StatusOr<WalkSummary> WalkFiles(const ToolContext& context, const WorkspacePath& start,
                                      bool recursive,
                                      const std::function<bool(const WalkEntry&)>& visit,
                                      const WalkSources& sources = {});

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_FILE_WALK_H_

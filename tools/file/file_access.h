// What the file.* tools share.
#ifndef STILE_TOOLS_FILE_FILE_ACCESS_H_
#define STILE_TOOLS_FILE_FILE_ACCESS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/tool/tool.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/report/numbered_lines.h"

namespace stile {

// Larger files are left to commands.
constexpr size_t kMaxToolFileBytes = size_t{64} << 20;

// Names that models use for "path" and for content.
std::vector<std::pair<std::string, std::string>> PathAliases();
std::vector<std::pair<std::string, std::string>> ContentAliases();

enum class PathKind { kAbsent, kFile, kFolder, kOther };

// What is at an absolute path, symlinks followed.
PathKind KindOf(const std::string& absolute);

struct OpenedFile {
  WorkspacePath path;
  std::string content;
};

// Resolves and reads a regular file. The errors speak to a model: outside the workspace, a folder,
// not a regular file, too large, absent with the nearest name beside it.
absl::StatusOr<OpenedFile> OpenWorkspaceFile(const ToolContext& context, const std::string& path);

// "12 lines"; the count of lines of a text, one without final newline included.
size_t CountLines(absl::string_view text);

}  // namespace stile

#endif  // STILE_TOOLS_FILE_FILE_ACCESS_H_

#include "runtime/gate/files_now.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

FilesNow::FilesNow(const Snapshot& snapshot, FileSystem* file_system, std::string workspace)
    : snapshot_(snapshot), file_system_(file_system), workspace_(std::move(workspace)) {}

std::vector<std::string> FilesNow::Paths() const {
  std::vector<std::string> paths;
  for (const FileRecord& file : snapshot_.files()) {
    if (file.kind == FileRecord::Kind::kRegular) paths.push_back(file.path);
  }
  return paths;
}

absl::StatusOr<std::string> FilesNow::Read(const std::string& path) const {
  const FileRecord* file = snapshot_.Find(path);
  if (file == nullptr || file->kind != FileRecord::Kind::kRegular) {
    return absl::NotFoundError(absl::StrCat("no file ", ToUtf8(path)));
  }
  return file_system_->ReadFile(JoinPath(workspace_, path), kMaxFileBytes);
}

}  // namespace stile

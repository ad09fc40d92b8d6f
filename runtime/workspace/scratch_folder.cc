#include "runtime/workspace/scratch_folder.h"

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/ids.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::string_view kPrefix = "scratch-";
constexpr absl::string_view kLockSuffix = ".lock";

// Removes what killed processes left: copies of whole workspaces, and locks whose folder was not
// made yet.
void Sweep(const std::string& folder) {
  const auto names = ListDirectory(folder);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!absl::StartsWith(name, kPrefix)) continue;
    const std::string path = JoinPath(folder, absl::StripSuffix(name, kLockSuffix));
    const std::string lock = absl::StrCat(path, kLockSuffix);
    const FileLock held(lock, FileLock::Wait::kNo);
    if (!held.held()) continue;
    RemoveTree(path).IgnoreError();
    unlink(lock.c_str());
  }
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& folder)
    : path_(JoinPath(folder, absl::StrCat(kPrefix, RandomHex(8)))) {
  DiskFileSystem()->MakeDirs(folder).IgnoreError();  // whoever writes into it says what is wrong
  Sweep(folder);
  lock_ = FileLock(absl::StrCat(path_, kLockSuffix), FileLock::Wait::kYes);
}

ScratchFolder::~ScratchFolder() {
  RemoveTree(path_).IgnoreError();
  unlink(absl::StrCat(path_, kLockSuffix).c_str());
}

std::string ScratchFolder::Sub(const char* name) const { return JoinPath(path_, name); }

}  // namespace stile

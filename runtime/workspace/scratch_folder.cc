#include "runtime/workspace/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::string_view kPrefix = "scratch-";
constexpr absl::string_view kLockSuffix = ".lock";

// A lock that goes with the process, however it ends. -1: somebody holds it.
int LockFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(fd);
  return -1;
}

// Removes what killed processes left: copies of whole workspaces.
void Sweep(const std::string& folder) {
  const auto names = ListDirectory(folder);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!absl::StartsWith(name, kPrefix) || absl::EndsWith(name, kLockSuffix)) continue;
    const std::string path = JoinPath(folder, name);
    const std::string lock = absl::StrCat(path, kLockSuffix);
    const int fd = LockFile(lock);
    if (fd < 0) continue;
    RemoveTree(path).IgnoreError();
    unlink(lock.c_str());
    close(fd);
  }
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& folder)
    : path_(JoinPath(folder, absl::StrCat(kPrefix, RandomHex(8)))) {
  DiskFileSystem()->MakeDirs(folder).IgnoreError();  // whoever writes into it says what is wrong
  Sweep(folder);
  lock_ = LockFile(absl::StrCat(path_, kLockSuffix));
}

ScratchFolder::~ScratchFolder() {
  RemoveTree(path_).IgnoreError();
  unlink(absl::StrCat(path_, kLockSuffix).c_str());
  if (lock_ >= 0) close(lock_);
}

std::string ScratchFolder::Sub(const char* name) const { return JoinPath(path_, name); }

}  // namespace stile

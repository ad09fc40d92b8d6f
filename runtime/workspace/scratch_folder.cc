#include "runtime/workspace/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

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

bool IsStillThere(int fd, const std::string& path) {
  struct stat opened {};
  struct stat present {};
  return fstat(fd, &opened) == 0 && stat(path.c_str(), &present) == 0 &&
         opened.st_ino == present.st_ino && opened.st_dev == present.st_dev;
}

// A lock that goes with the process, however it ends. -1: it cannot be had, without `wait` also
// because somebody holds it. A file that its last holder removed meanwhile is no lock any more.
int LockFile(const std::string& path, bool wait) {
  while (true) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    int locked = 0;
    do {
      locked = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    if (locked == 0 && IsStillThere(fd, path)) return fd;
    close(fd);
    if (locked != 0) return -1;
  }
}

// Removes what killed processes left: copies of whole workspaces, and locks whose folder was not
// made yet.
void Sweep(const std::string& folder) {
  const auto names = ListDirectory(folder);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!absl::StartsWith(name, kPrefix)) continue;
    const std::string path = JoinPath(folder, absl::StripSuffix(name, kLockSuffix));
    const std::string lock = absl::StrCat(path, kLockSuffix);
    const int fd = LockFile(lock, /*wait=*/false);
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
  lock_ = LockFile(absl::StrCat(path_, kLockSuffix), /*wait=*/true);
}

ScratchFolder::~ScratchFolder() {
  RemoveTree(path_).IgnoreError();
  unlink(absl::StrCat(path_, kLockSuffix).c_str());
  if (lock_ >= 0) close(lock_);
}

std::string ScratchFolder::Sub(const char* name) const { return JoinPath(path_, name); }

}  // namespace stile

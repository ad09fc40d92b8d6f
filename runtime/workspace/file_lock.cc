#include "runtime/workspace/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

constexpr absl::Duration kSlice = absl::Milliseconds(50);

bool IsStillThere(int fd, const std::string& path) {
  struct stat opened {};
  struct stat present {};
  return fstat(fd, &opened) == 0 && stat(path.c_str(), &present) == 0 &&
         opened.st_ino == present.st_ino && opened.st_dev == present.st_dev;
}

// Its last holder may have removed the file just now.
bool CanMake(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

}  // namespace

FileLock::FileLock(const std::string& path, Wait wait) {
  while (true) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    int locked = 0;
    do {
      locked = flock(fd, wait == Wait::kYes ? LOCK_EX : LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    // A file that its last holder removed meanwhile is no lock any more.
    if (locked == 0 && IsStillThere(fd, path)) {
      fd_ = fd;
      return;
    }
    close(fd);
    if (locked != 0) return;
  }
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (fd_ >= 0) close(fd_);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

absl::StatusOr<FileLock> AwaitFileLock(const std::string& path, absl::Duration timeout,
                                       Clock* clock, const Cancellation* cancellation) {
  const absl::Duration end = clock->Monotonic() + timeout;
  for (;;) {
    FileLock lock(path, FileLock::Wait::kNo);
    if (lock.held()) return lock;
    if (!CanMake(path)) {
      return absl::UnavailableError(absl::StrCat("cannot make the lock ", path));
    }
    if (cancellation != nullptr && cancellation->cancelled()) {
      return absl::CancelledError("cancelled while another process held a lock");
    }
    if (clock->Monotonic() >= end) {
      return absl::DeadlineExceededError(
          absl::StrCat("another process has held ", path, " for ", absl::FormatDuration(timeout)));
    }
    clock->Sleep(kSlice, cancellation);
  }
}

}  // namespace stile

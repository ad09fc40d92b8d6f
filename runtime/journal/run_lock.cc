#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/journal/run_store.h"

namespace stile {

// Open file description locks: they hold against other threads of this process too, end with it,
// and can be asked about without being taken.

absl::StatusOr<RunLock> RunLock::Acquire(const RunPaths& run) {
  const int fd =
      open(run.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) return ErrnoStatus(errno, "open lock", run.lock);
  RunLock lock(fd);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(fd, F_OFD_SETLK, &whole) == 0) return lock;
  if (errno == EAGAIN || errno == EACCES) {
    return absl::FailedPreconditionError(
        absl::StrCat("another process is working on run ", run.id, "; stop it first"));
  }
  return ErrnoStatus(errno, "lock", run.lock);
}

bool RunLock::IsHeld(const RunPaths& run) {
  const RunLock file(open(run.lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return file.fd_ >= 0 && fcntl(file.fd_, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

RunLock::RunLock(RunLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

RunLock::~RunLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace stile

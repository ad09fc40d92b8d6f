#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

// Open file description locks: they hold against other threads of this process too, end with it,
// and can be asked about without being taken.

namespace {

int OpenStoreLock(const std::string& state_dir) {
  return open(JoinPath(state_dir, "lock").c_str(),
              O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

struct flock WholeFile(int16_t type) {
  struct flock whole {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return whole;
}

}  // namespace

std::optional<StoreLock> StoreLock::TryAcquire(const std::string& state_dir) {
  StoreLock lock(OpenStoreLock(state_dir));
  struct flock whole = WholeFile(F_WRLCK);
  if (lock.fd_ < 0 || fcntl(lock.fd_, F_OFD_SETLK, &whole) != 0) return std::nullopt;
  return lock;
}

absl::StatusOr<StoreLock> StoreLock::Share(const std::string& state_dir) {
  StoreLock lock(OpenStoreLock(state_dir));
  if (lock.fd_ < 0) return ErrnoStatus(errno, "open lock", JoinPath(state_dir, "lock"));
  struct flock whole = WholeFile(F_RDLCK);
  while (fcntl(lock.fd_, F_OFD_SETLKW, &whole) != 0) {
    if (errno != EINTR) return ErrnoStatus(errno, "lock", JoinPath(state_dir, "lock"));
  }
  return lock;
}

StoreLock::StoreLock(StoreLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

StoreLock& StoreLock::operator=(StoreLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

StoreLock::~StoreLock() {
  if (fd_ >= 0) close(fd_);
}

absl::StatusOr<RunLock> RunLock::Acquire(const RunPaths& run) {
  // <state>/runs/<id>
  STILE_ASSIGN_OR_RETURN(StoreLock store, StoreLock::Share(DirName(DirName(run.folder))));
  const int fd =
      open(run.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) return ErrnoStatus(errno, "open lock", run.lock);
  RunLock lock(fd);
  lock.store_ = std::move(store);
  struct flock whole = WholeFile(F_WRLCK);
  if (fcntl(fd, F_OFD_SETLK, &whole) == 0) {
    // For people; the lock does without.
    const std::string pid = absl::StrCat(getpid(), "\n");
    if (ftruncate(fd, 0) != 0 || write(fd, pid.data(), pid.size()) < 0) return lock;
    return lock;
  }
  if (errno == EAGAIN || errno == EACCES) {
    return absl::FailedPreconditionError(
        absl::StrCat("another process is working on run ", run.id, "; stop it first"));
  }
  return ErrnoStatus(errno, "lock", run.lock);
}

bool RunLock::IsHeld(const RunPaths& run) {
  const RunLock file(open(run.lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct flock whole = WholeFile(F_WRLCK);
  return file.fd_ >= 0 && fcntl(file.fd_, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

void RunLock::AwaitRelease(const RunPaths& run, absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  while (IsHeld(run) && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(10));
}

int RunLock::HolderOf(const RunPaths& run) {
  const auto text = DiskFileSystem()->ReadFile(run.lock, 64);
  int pid = 0;
  const bool is_number =
      text.ok() && absl::SimpleAtoi(absl::StripAsciiWhitespace(*text), &pid) && pid > 0;
  return is_number && IsHeld(run) ? pid : 0;
}

RunLock::RunLock(RunLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), store_(std::move(other.store_)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(store_, other.store_);
  return *this;
}

RunLock::~RunLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace stile

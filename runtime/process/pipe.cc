#include "runtime/process/pipe.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {

absl::Status MoveAboveStandardStreams(UniqueFd* fd) {
  if (fd->get() > 3) return absl::OkStatus();
  const int moved = fcntl(fd->get(), F_DUPFD_CLOEXEC, 4);
  if (moved < 0) return ErrnoStatus(errno, "duplicate", "a descriptor");
  fd->Reset(moved);
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> Duplicate(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 4));
  if (copy.get() >= 0) return copy;
  if (errno == EBADF) {
    return absl::FailedPreconditionError(absl::StrCat("descriptor ", fd, " is closed"));
  }
  return ErrnoStatus(errno, "duplicate", "a descriptor");
}

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("cannot make a pipe: ", strerror(errno)));
  }
  Pipe pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
  STILE_RETURN_IF_ERROR(MoveAboveStandardStreams(&pipe.read));
  STILE_RETURN_IF_ERROR(MoveAboveStandardStreams(&pipe.write));
  return pipe;
}

absl::StatusOr<Pipe> MakeSocketPair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("cannot make a socket: ", strerror(errno)));
  }
  Pipe pair{UniqueFd(fds[0]), UniqueFd(fds[1])};
  STILE_RETURN_IF_ERROR(MoveAboveStandardStreams(&pair.write));
  return pair;
}

void SetNonBlocking(const UniqueFd& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

ssize_t WriteWithoutSigpipe(int fd, absl::string_view bytes) {
  sigset_t pipe_signal;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = write(fd, bytes.data(), bytes.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec no_wait{0, 0};
    sigtimedwait(&pipe_signal, nullptr, &no_wait);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

}  // namespace stile

// Pipes and descriptors between Stile and the programs that it starts.
#ifndef STILE_RUNTIME_PROCESS_PIPE_H_
#define STILE_RUNTIME_PROCESS_PIPE_H_

#include <sys/types.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/process/unique_fd.h"

namespace stile {

// All descriptors are close-on-exec. Those that a program gets are above 3, so that it can put any
// of them on 0, 1, 2 and 3 in any order.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// ResourceExhausted when the process has no more descriptors.
absl::StatusOr<Pipe> MakePipe();
// The same of a socket that keeps messages apart; only `write` is for a program.
absl::StatusOr<Pipe> MakeSocketPair();

absl::Status MoveAboveStandardStreams(UniqueFd* fd);
// A second descriptor of `fd`, for a program. FailedPrecondition if `fd` is closed.
absl::StatusOr<UniqueFd> Duplicate(int fd);
void SetNonBlocking(const UniqueFd& fd);

// write() without SIGPIPE, whatever the process does with that signal.
ssize_t WriteWithoutSigpipe(int fd, absl::string_view bytes);

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_PIPE_H_

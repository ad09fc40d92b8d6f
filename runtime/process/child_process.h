// A program that runs beside Stile and is talked to through its standard streams.
#ifndef STILE_RUNTIME_PROCESS_CHILD_PROCESS_H_
#define STILE_RUNTIME_PROCESS_CHILD_PROCESS_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"
#include "runtime/process/process_input.h"
#include "runtime/process/process_runner.h"

namespace stile {

// The program, and all that descends from it, ends with this object, or with Stile. Thread-safe.
// One thing: one program from its start to its end.
class ChildProcess {
 public:
  // Runs `request` by `runner` on a thread of its own; `stdin_text`, `input`, `on_output` and
  // `cancellation` of the request are set here. A program that cannot start is reported by the
  // read functions and Result. A program is killed when more than `max_unread_bytes` of its output
  // are unread. ResourceExhausted when the system has no more threads.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(std::shared_ptr<ProcessRunner> runner,
                                                             ProcessRequest request,
                                                             size_t max_unread_bytes = size_t{256}
                                                                                       << 20);
  // Closes the input, waits request.grace for the program to end, then kills it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Never blocks.
  void Write(absl::string_view bytes) { input_.Write(bytes); }
  // Blocks until that many bytes of standard output have arrived, and takes them.
  // DeadlineExceeded after `timeout`; FailedPrecondition with the reason when the program ends
  // before; ResourceExhausted when it was killed for its unread output. The bytes that have arrived
  // stay.
  absl::StatusOr<std::string> ReadExactly(size_t size, absl::Duration timeout);
  // The same up to and including the first `end`, which is not empty. InvalidArgument when `end` is
  // not within the first `max_size` bytes.
  absl::StatusOr<std::string> ReadThrough(absl::string_view end, size_t max_size,
                                          absl::Duration timeout);
  // nullopt while it runs. An error: it could not start.
  std::optional<absl::StatusOr<ProcessResult>> Result() const;
  // SIGTERM, and SIGKILL after request.grace. Does not wait.
  void Kill() { cancellation_.Cancel(); }

 private:
  ChildProcess() = default;
  // Waits under `lock` until `is_ready`, and takes `size()` bytes then.
  absl::StatusOr<std::string> Take(const std::function<bool()>& is_ready,
                                   const std::function<size_t()>& size, absl::Duration timeout);
  absl::string_view Unread() const { return absl::string_view(out_).substr(read_); }

  ProcessInput input_;
  Cancellation cancellation_;
  absl::Duration grace_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t max_unread_bytes_ = 0;
  std::string out_;                                      // under mutex_
  size_t read_ = 0;                                      // under mutex_: bytes of out_ taken
  bool flooded_ = false;                                 // under mutex_
  std::optional<absl::StatusOr<ProcessResult>> result_;  // under mutex_
  std::thread thread_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_CHILD_PROCESS_H_

#ifndef STILE_RUNTIME_BASE_CANCELLATION_H_
#define STILE_RUNTIME_BASE_CANCELLATION_H_

#include <atomic>

#include "absl/time/time.h"

namespace stile {

// A one-way switch that ends a run at any point. Whoever waits on file descriptors adds fd() to its
// poll set; whoever computes asks cancelled() now and then. Thread-safe; Cancel() is also
// async-signal-safe, so a signal handler may call it.
class Cancellation {
 public:
  Cancellation();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void Cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }

  // Becomes readable, and stays so, once cancelled. Owned by this object; do not read from it.
  int fd() const { return fd_; }

  // Waits; true when cancelled, false when `timeout` passed first.
  bool WaitFor(absl::Duration timeout) const;

 private:
  std::atomic<bool> cancelled_{false};
  int fd_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_CANCELLATION_H_

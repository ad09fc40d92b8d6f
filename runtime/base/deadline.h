#ifndef STILE_RUNTIME_BASE_DEADLINE_H_
#define STILE_RUNTIME_BASE_DEADLINE_H_

#include <atomic>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"

namespace stile {

// A cancellation that happens when another one does, or by itself once a time has passed: what
// waits for a process or a server need not know which. One thread each, gone with the object.
// Measures real, monotonic time.
class Deadline {
 public:
  // `parent` may be null; it outlives this object.
  explicit Deadline(const Cancellation* parent);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  // ResourceExhausted where the system has no more threads or descriptors: it will never cancel.
  const absl::Status& status() const { return status_; }
  // The time begins now; one that is up already cancels at once. Without this call it never ends.
  void Start(absl::Duration limit);
  // As if the parent had been cancelled. Thread-safe.
  void Cancel() { cancellation_.Cancel(); }

  const Cancellation* cancellation() const { return &cancellation_; }
  // True once the time alone has cancelled. Thread-safe.
  bool passed() const { return passed_.load(std::memory_order_acquire); }

 private:
  void Watch();

  const Cancellation* const parent_;
  Cancellation cancellation_;
  Cancellation stop_;
  std::atomic<bool> passed_{false};
  const int timer_;
  absl::Status status_;
  std::thread thread_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_DEADLINE_H_

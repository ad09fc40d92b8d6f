#ifndef STILE_RUNTIME_BASE_CLOCK_H_
#define STILE_RUNTIME_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace stile {

class Cancellation;

// The only source of time. Thread-safe. Tests use a fake (tests/support/fake_clock.h).
class Clock {
 public:
  virtual ~Clock() = default;

  // Wall-clock time, for stamps.
  virtual absl::Time Now() = 0;

  // Never goes back; for durations and deadlines. The origin is arbitrary.
  virtual absl::Duration Monotonic() = 0;

  // Returns false when `cancellation` (may be null) ended the wait early.
  virtual bool Sleep(absl::Duration duration, const Cancellation* cancellation) = 0;
};

// The machine's clock. Lives as long as the process.
Clock* SystemClock();

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_CLOCK_H_

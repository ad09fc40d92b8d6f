#include "runtime/base/clock.h"

#include <time.h>

#include "absl/time/clock.h"
#include "runtime/base/cancellation.h"

namespace stile {
namespace {

class RealClock : public Clock {
 public:
  absl::Time Now() override { return absl::Now(); }

  absl::Duration Monotonic() override {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return absl::DurationFromTimespec(now);
  }

  bool Sleep(absl::Duration duration, const Cancellation* cancellation) override {
    if (cancellation != nullptr) return !cancellation->WaitFor(duration);
    absl::SleepFor(duration);
    return true;
  }
};

}  // namespace

Clock* SystemClock() {
  static auto* clock = new RealClock;
  return clock;
}

}  // namespace stile

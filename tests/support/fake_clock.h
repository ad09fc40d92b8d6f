#ifndef STILE_TESTS_SUPPORT_FAKE_CLOCK_H_
#define STILE_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <mutex>
#include <vector>

#include "absl/time/time.h"
#include "runtime/base/clock.h"

namespace stile {

// Time that moves only when told to: Sleep advances it by the whole duration and returns at once,
// false when `cancellation` was cancelled before. Thread-safe.
class FakeClock : public Clock {
 public:
  FakeClock() : FakeClock(absl::FromUnixSeconds(1'763'719'200)) {}  // 2025-11-21 10:00 UTC
  explicit FakeClock(absl::Time start) : now_(start) {}

  absl::Time Now() override;
  absl::Duration Monotonic() override;
  bool Sleep(absl::Duration duration, const Cancellation* cancellation) override;

  void Advance(absl::Duration duration);
  // Every duration that Sleep was called with, in order.
  std::vector<absl::Duration> sleeps() const;

 private:
  mutable std::mutex mutex_;
  absl::Time now_;
  absl::Duration monotonic_ = absl::Seconds(1000);
  std::vector<absl::Duration> sleeps_;
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_FAKE_CLOCK_H_

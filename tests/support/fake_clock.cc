#include "tests/support/fake_clock.h"

#include "runtime/base/cancellation.h"

namespace stile {

absl::Time FakeClock::Now() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return now_;
}

absl::Duration FakeClock::Monotonic() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return monotonic_;
}

bool FakeClock::Sleep(absl::Duration duration, const Cancellation* cancellation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sleeps_.push_back(duration);
  if (cancellation != nullptr && cancellation->cancelled()) return false;
  now_ += duration;
  monotonic_ += duration;
  return true;
}

void FakeClock::Advance(absl::Duration duration) {
  const std::lock_guard<std::mutex> lock(mutex_);
  now_ += duration;
  monotonic_ += duration;
}

std::vector<absl::Duration> FakeClock::sleeps() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sleeps_;
}

}  // namespace stile

#include "runtime/base/cancellation.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "absl/time/clock.h"
#include "runtime/base/check.h"

namespace stile {

Cancellation::Cancellation() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  STILE_CHECK(fd_ >= 0);
}

Cancellation::~Cancellation() { close(fd_); }

void Cancellation::Cancel() {
  cancelled_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  // A full counter means somebody cancelled before: the descriptor is readable already.
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof(one));
}

bool Cancellation::WaitFor(absl::Duration timeout) const {
  const absl::Time deadline = absl::Now() + timeout;
  while (!cancelled()) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    pollfd entry{fd_, POLLIN, 0};
    const int64_t wait_ms = absl::ToInt64Milliseconds(std::min(left, absl::Minutes(1))) + 1;
    poll(&entry, 1, static_cast<int>(wait_ms));
  }
  return true;
}

}  // namespace stile

#include "runtime/base/deadline.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/base/threads.h"

namespace stile {

Deadline::Deadline(const Cancellation* parent)
    : parent_(parent), timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (timer_ < 0) {
    status_ = absl::ResourceExhaustedError(absl::StrCat("cannot make a timer: ", strerror(errno)));
    return;
  }
  thread_ = TryStartThread([this] { Watch(); });
  if (!thread_.joinable()) {
    status_ =
        absl::ResourceExhaustedError(absl::StrCat("cannot start a thread: ", strerror(EAGAIN)));
  }
}

Deadline::~Deadline() {
  stop_.Cancel();
  if (thread_.joinable()) thread_.join();
  if (timer_ >= 0) close(timer_);
}

void Deadline::Start(absl::Duration limit) {
  if (!status_.ok()) return;
  itimerspec when{};
  // All zeros would disarm the timer.
  when.it_value = absl::ToTimespec(std::max(limit, absl::Nanoseconds(1)));
  STILE_CHECK(timerfd_settime(timer_, 0, &when, nullptr) == 0);
}

void Deadline::Watch() {
  const int parent = parent_ == nullptr ? -1 : parent_->fd();  // poll passes over a negative one
  pollfd waiting[] = {{stop_.fd(), POLLIN, 0}, {parent, POLLIN, 0}, {timer_, POLLIN, 0}};
  while (poll(waiting, std::size(waiting), -1) < 0) {
  }
  if (stop_.cancelled()) return;
  const bool by_parent = parent_ != nullptr && parent_->cancelled();
  if (!by_parent) passed_.store(true, std::memory_order_release);
  cancellation_.Cancel();
}

}  // namespace stile

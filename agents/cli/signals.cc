#include "agents/cli/signals.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace stile {
namespace {

constexpr int64_t kImpatienceMs = 2000;

std::atomic<Cancellation*> target{nullptr};
std::atomic<int64_t> last_interrupt_ms{-kImpatienceMs - 1};

int64_t MonotonicMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Only async-signal-safe calls from here on.
void OnSignal(int number) {
  const int saved_errno = errno;
  if (number == SIGINT) {
    const int64_t now_ms = MonotonicMs();
    if (now_ms - last_interrupt_ms.exchange(now_ms) < kImpatienceMs) {
      // The shell's prompt must not land behind a status line.
      if (isatty(STDERR_FILENO) != 0) (void)!write(STDERR_FILENO, "\n", 1);
      _exit(130);
    }
  }
  target.load()->Cancel();
  errno = saved_errno;
}

}  // namespace

Cancellation* CancelOnSignals() {
  static auto* cancellation = new Cancellation;
  target.store(cancellation);
  struct sigaction action {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Whoever ignores the end of the terminal (nohup) goes on.
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  return cancellation;
}

bool WasInterrupted() { return last_interrupt_ms.load() >= 0; }

}  // namespace stile

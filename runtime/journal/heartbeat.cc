#include "runtime/journal/heartbeat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "runtime/base/threads.h"

namespace stile {
namespace {

constexpr std::chrono::milliseconds kInterval(500);
constexpr absl::Duration kSlack = absl::Seconds(1);  // the interval, and some delay

}  // namespace

Heartbeat::Heartbeat(const RunPaths& run) : path_(run.alive) {
  const int file = open(path_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  futimens(file, nullptr);
  close(file);
  thread_ = TryStartThread([this] { Beat(); });
  if (!thread_.joinable()) unlink(path_.c_str());
}

Heartbeat::~Heartbeat() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Heartbeat::Beat() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, kInterval, [this] { return is_over_; })) {
    utimensat(AT_FDCWD, path_.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }
}

std::optional<absl::Time> LastAlive(const RunPaths& run) {
  struct stat info {};
  if (stat(run.alive.c_str(), &info) != 0) return std::nullopt;
  return absl::TimeFromTimespec(info.st_mtim) + kSlack;
}

}  // namespace stile

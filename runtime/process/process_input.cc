#include "runtime/process/process_input.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace stile {

ProcessInput::ProcessInput() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  closed_ = event_.get() < 0;
}

void ProcessInput::Write(absl::string_view bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  bytes_.append(bytes.data(), bytes.size());
  Signal();
}

void ProcessInput::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  Signal();
}

bool ProcessInput::Take(std::string* bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t count = 0;
  if (event_.get() >= 0) (void)!read(event_.get(), &count, sizeof(count));
  bytes->append(bytes_);
  bytes_.clear();
  return closed_;
}

void ProcessInput::Signal() {
  constexpr uint64_t kOne = 1;
  if (event_.get() >= 0) (void)!write(event_.get(), &kOne, sizeof(kOne));
}

}  // namespace stile

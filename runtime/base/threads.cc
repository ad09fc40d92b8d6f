#include "runtime/base/threads.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>
#include <vector>

namespace stile {

std::thread TryStartThread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error&) {
    return {};
  }
}

void CallAtOnce(size_t count, size_t at_most, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(count, at_most); ++i) {
    std::thread other = TryStartThread(work);
    if (other.joinable()) others.push_back(std::move(other));
  }
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace stile

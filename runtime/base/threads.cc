#include "runtime/base/threads.h"

#include <system_error>
#include <utility>

namespace stile {

std::thread TryStartThread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace stile

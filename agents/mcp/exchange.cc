#include "agents/mcp/exchange.h"

#include <utility>

namespace stile {

void Exchange::Add(const Json& message) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_question = message.is_object() && message.contains("method");
    const bool is_answer = message.is_null() || (message.contains("id") && !is_question);
    if (is_answer && missing_ > 0) --missing_;
    if (!message.is_null()) messages_.push_back(message);
  }
  wake_.notify_all();
}

bool Exchange::IsComplete() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return missing_ == 0;
}

Exchange::Wait Exchange::Next(absl::Duration timeout, Json* message) {
  std::unique_lock<std::mutex> lock(mutex_);
  wake_.wait_for(lock, absl::ToChronoMilliseconds(timeout),
                 [this] { return !messages_.empty() || missing_ == 0; });
  if (!messages_.empty()) {
    *message = std::move(messages_.front());
    messages_.pop_front();
    return Wait::kMessage;
  }
  return missing_ == 0 ? Wait::kDone : Wait::kTimeout;
}

}  // namespace stile

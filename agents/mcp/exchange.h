// The answers to the requests of one HTTP body, in the order in which they come.
#ifndef STILE_AGENTS_MCP_EXCHANGE_H_
#define STILE_AGENTS_MCP_EXCHANGE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "absl/time/time.h"
#include "runtime/base/json.h"

namespace stile {

// The messages that answer one body of requests, from the threads that make them to the one that
// sends them. Thread-safe.
class Exchange {
 public:
  // `answers`: how many requests the body holds.
  explicit Exchange(size_t answers) : missing_(answers) {}

  // A message of McpSession::Reply.
  void Add(const Json& message);

  // Whether all answers have come, given out or not.
  bool IsComplete();

  enum class Wait { kMessage, kTimeout, kDone };
  // Waits for the next message; kDone once all answers have been given out.
  Wait Next(absl::Duration timeout, Json* message);

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Json> messages_;  // guarded by mutex_
  size_t missing_;             // answers that have not come; guarded by mutex_
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_EXCHANGE_H_

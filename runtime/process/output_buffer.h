#ifndef STILE_RUNTIME_PROCESS_OUTPUT_BUFFER_H_
#define STILE_RUNTIME_PROCESS_OUTPUT_BUFFER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// Keeps the first half and the last half of `max_bytes` of what is appended. Not thread-safe.
class OutputBuffer {
 public:
  explicit OutputBuffer(size_t max_bytes)
      : max_head_(max_bytes - max_bytes / 2), max_tail_(max_bytes / 2) {}

  void Append(absl::string_view bytes);
  uint64_t total_bytes() const { return total_bytes_; }
  // What was kept; the buffer is empty afterwards.
  std::string Take();

 private:
  size_t max_head_;
  size_t max_tail_;
  uint64_t total_bytes_ = 0;
  std::string head_;
  std::string tail_;  // up to twice max_tail_, so that dropping its front is rare
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_OUTPUT_BUFFER_H_

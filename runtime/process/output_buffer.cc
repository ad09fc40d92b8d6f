#include "runtime/process/output_buffer.h"

#include <algorithm>
#include <utility>

namespace stile {

void OutputBuffer::Append(absl::string_view bytes) {
  total_bytes_ += bytes.size();
  const size_t to_head = std::min(bytes.size(), max_head_ - head_.size());
  head_.append(bytes.data(), to_head);
  bytes.remove_prefix(to_head);
  if (bytes.size() > max_tail_) bytes.remove_prefix(bytes.size() - max_tail_);
  tail_.append(bytes.data(), bytes.size());
  if (tail_.size() > 2 * max_tail_) tail_.erase(0, tail_.size() - max_tail_);
}

std::string OutputBuffer::Take() {
  const size_t kept = std::min(tail_.size(), max_tail_);
  std::string text = std::move(head_);
  text.append(tail_, tail_.size() - kept, kept);
  head_.clear();
  tail_.clear();
  return text;
}

}  // namespace stile

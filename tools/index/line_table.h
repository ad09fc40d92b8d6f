#ifndef STILE_TOOLS_INDEX_LINE_TABLE_H_
#define STILE_TOOLS_INDEX_LINE_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Where the lines of a text begin. Lines count from 1.
class LineTable {
 public:
  explicit LineTable(absl::string_view text) : size_(static_cast<uint32_t>(text.size())) {
    starts_.push_back(0);
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
      const void* newline = std::memchr(at, '\n', static_cast<size_t>(end - at));
      if (newline == nullptr) break;
      at = static_cast<const char*>(newline) + 1;
      starts_.push_back(static_cast<uint32_t>(at - text.data()));
    }
  }

  uint32_t LineOf(uint32_t offset) const {
    return static_cast<uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) -
                                 starts_.begin());
  }
  // Of a line that there is; its line break belongs to it.
  uint32_t BeginOf(uint32_t line) const { return starts_[line - 1]; }
  uint32_t EndOf(uint32_t line) const { return line < starts_.size() ? starts_[line] : size_; }
  uint32_t count() const { return static_cast<uint32_t>(starts_.size()); }

 private:
  uint32_t size_;
  std::vector<uint32_t> starts_;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_LINE_TABLE_H_

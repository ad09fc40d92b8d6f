#ifndef STILE_TESTS_FUZZ_FUZZ_INPUT_H_
#define STILE_TESTS_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace stile {

// The bytes of one execution, taken from the front. A target that needs a choice beside its text
// takes it from the first byte or line, so that seeds stay readable: '0' is the choice 0.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size)
      : rest_(size == 0 ? "" : reinterpret_cast<const char*>(data), size) {}

  // One of 0 … choices - 1; 0 when nothing is left.
  size_t TakeChoice(size_t choices) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return static_cast<uint8_t>(byte - '0') % choices;
  }
  // Up to the next line break, which goes too.
  absl::string_view TakeLine() {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    const absl::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return line;
  }
  absl::string_view rest() const { return rest_; }

 private:
  absl::string_view rest_;
};

}  // namespace stile

// What a target defines, the interface of libFuzzer (https://llvm.org/docs/LibFuzzer.html): any
// bytes, returns 0, keeps nothing that grows.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // STILE_TESTS_FUZZ_FUZZ_INPUT_H_

#ifndef STILE_RUNTIME_HTTP_LINE_SPLITTER_H_
#define STILE_RUNTIME_HTTP_LINE_SPLITTER_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stile {

// Cuts a byte stream that arrives in any pieces into lines ending in LF, CRLF or CR, and hands each
// to a sink without its end. Not thread-safe.
class LineSplitter {
 public:
  using Sink = std::function<absl::Status(absl::string_view line)>;

  LineSplitter(size_t max_line_bytes, Sink sink)
      : max_line_bytes_(max_line_bytes), sink_(std::move(sink)) {}

  // The sink's first error, or ResourceExhausted for a line longer than allowed. Feed no more then.
  absl::Status Push(absl::string_view bytes);
  // Hands over a last line that has no end; to be called once, when the stream has ended.
  absl::Status Finish();

 private:
  const size_t max_line_bytes_;
  const Sink sink_;
  std::string partial_;
  bool after_cr_ = false;  // an LF that comes next belongs to the CR before
};

}  // namespace stile

#endif  // STILE_RUNTIME_HTTP_LINE_SPLITTER_H_

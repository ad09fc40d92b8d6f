#ifndef STILE_RUNTIME_HTTP_SSE_READER_H_
#define STILE_RUNTIME_HTTP_SSE_READER_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/http/line_splitter.h"

namespace stile {

struct SseEvent {
  std::string event;  // "message" when the server named none
  std::string data;   // lines joined with '\n'
  std::string id;     // the last one seen on the stream
};

// Reads server-sent events (WHATWG HTML, 9.2) from bytes in any split: LF, CRLF or CR, comments,
// several data lines, a byte order mark. Fields it does not know are ignored. Not thread-safe.
class SseReader {
 public:
  using Sink = std::function<absl::Status(const SseEvent& event)>;

  explicit SseReader(Sink sink, size_t max_event_bytes = size_t{16} << 20);
  SseReader(const SseReader&) = delete;
  SseReader& operator=(const SseReader&) = delete;

  // The sink's first error, or ResourceExhausted for an event larger than allowed. Feed no more
  // then.
  absl::Status Push(absl::string_view bytes);
  // The stream has ended. Unlike the specification, an event whose lines are all complete counts
  // even without the empty line after it; half a line is dropped.
  absl::Status Finish();

 private:
  absl::Status OnLine(absl::string_view line);
  absl::Status Dispatch();

  const Sink sink_;
  const size_t max_event_bytes_;
  LineSplitter lines_;
  bool first_line_ = true;
  bool has_data_ = false;
  SseEvent event_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_HTTP_SSE_READER_H_

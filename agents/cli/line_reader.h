// Input: lines from a file, a pipe or the terminal, one at a time, given up when the run is
// cancelled; or all of standard input.
#ifndef STILE_AGENTS_CLI_LINE_READER_H_
#define STILE_AGENTS_CLI_LINE_READER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"

namespace stile {

// Not thread-safe.
class LineReader {
 public:
  // Of a descriptor that outlives it.
  explicit LineReader(int fd) : fd_(fd) {}
  // Of a file or FIFO; "-" is standard input. NotFound or PermissionDenied with the path. Opening a
  // FIFO does not wait for its writer.
  static absl::StatusOr<std::unique_ptr<LineReader>> Open(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Waits for the next line, which comes without its line break. False at the end, and when
  // `cancellation` came first; a last line without a break counts if it is not empty.
  bool Next(const Cancellation* cancellation, std::string* line);

 private:
  int fd_;
  bool owned_ = false;
  bool waits_for_writer_ = false;  // a FIFO that nothing has been read from yet
};

// Blocks until the other end closes it, or has written nothing for as long as `patience`.
// InvalidArgument: more than `max_bytes`.
absl::StatusOr<std::string> ReadStandardInput(size_t max_bytes,
                                              absl::Duration patience = absl::InfiniteDuration());

}  // namespace stile

#endif  // STILE_AGENTS_CLI_LINE_READER_H_

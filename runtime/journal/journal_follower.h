// Reads a journal while another process writes it.
#ifndef STILE_RUNTIME_JOURNAL_JOURNAL_FOLLOWER_H_
#define STILE_RUNTIME_JOURNAL_JOURNAL_FOLLOWER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/event/event.h"

namespace stile {

// Not thread-safe.
class JournalFollower {
 public:
  explicit JournalFollower(std::string path) : path_(std::move(path)) {}

  // The events of the lines that were completed since the last call, in order, at most about 1 MiB
  // of them; empty: none, or the file does not exist yet. A line that is not complete is read when
  // it is. DataLoss names a damaged line: every later call gives it, too.
  absl::StatusOr<std::vector<Event>> Next();

 private:
  const std::string path_;
  uint64_t offset_ = 0;  // of the first line that was not read
  uint64_t line_ = 0;    // how many were read
};

}  // namespace stile

#endif  // STILE_RUNTIME_JOURNAL_JOURNAL_FOLLOWER_H_

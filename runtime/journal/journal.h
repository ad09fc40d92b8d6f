#ifndef STILE_RUNTIME_JOURNAL_JOURNAL_H_
#define STILE_RUNTIME_JOURNAL_JOURNAL_H_

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/event/event.h"

namespace stile {

// Appends events to a file, one JSON object a line. Events that are only shown (deltas, live
// output) are left out. Not thread-safe (an EventStream calls its sinks one at a time).
class JournalWriter {
 public:
  // Creates the file (for the user alone), or continues it after cutting a last line that is torn:
  // incomplete, or no event. FailedPrecondition when `path` is no regular file.
  static absl::StatusOr<std::unique_ptr<JournalWriter>> Open(const std::string& path);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  // Written at once (survives a crash of this process), on disk at the next Sync. The first error
  // is kept and returned by Sync and status(), so that a full disk ends the run instead of being
  // missed; nothing is written after it.
  void Append(const Event& event);
  absl::Status Sync();
  // The same in the background, for the end of a turn: the disk works while the model thinks.
  // Returns the outcome of the one before it.
  absl::Status SyncSoon();
  const absl::Status& status() const { return status_; }

 private:
  JournalWriter(std::string path, int fd);
  std::string path_;
  int fd_;
  absl::Status status_;
  std::future<absl::Status> sync_;  // under way
};

struct JournalContents {
  std::vector<Event> events;
  bool torn = false;  // the last line was incomplete or damaged and has been left out
};

// NotFound; DataLoss naming the line when a line other than the last is damaged or when seq does
// not grow (it may leave numbers out: shown-only events have numbers too). With `secrets` (not
// owned) masked values that it knows are restored; without, for people, they stay masked.
absl::StatusOr<JournalContents> ReadJournal(const std::string& path,
                                            const SecretMasker* secrets = nullptr);

// The event of one line, without its newline. An error says why there is none.
absl::StatusOr<Event> ParseJournalLine(absl::string_view line);
inline constexpr size_t kMaxJournalLineBytes = size_t{64} << 20;

// The ends of a journal, for lists: its first two and its last whole event, with as little reading
// as possible. What lies between is not looked at.
struct JournalEnds {
  Event first;
  Event second;  // equal to `first` when there is only one
  Event last;    // of the lines before a torn one
};
// NotFound when there is no whole line: a run that was killed before it began. DataLoss when the
// first line, or the last two, hold no event.
absl::StatusOr<JournalEnds> ReadJournalEnds(const std::string& path);

}  // namespace stile

#endif  // STILE_RUNTIME_JOURNAL_JOURNAL_H_

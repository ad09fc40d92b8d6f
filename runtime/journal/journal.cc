#include "runtime/journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/threads.h"

namespace stile {
namespace {

constexpr size_t kChunkBytes = 64 << 10;
// Above what is accepted from models (ParseJson's default), because an event wraps their values.
constexpr int kMaxDepth = 400;

// A journal opened for reading by position; closes itself.
class JournalFile {
 public:
  static absl::StatusOr<JournalFile> Open(const std::string& path, int flags) {
    const int fd = open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0) return ErrnoStatus(errno, "open journal", path);
    JournalFile file(path, fd);
    struct stat info {};
    if (fstat(fd, &info) != 0) return ErrnoStatus(errno, "look up journal", path);
    if (!S_ISREG(info.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat(path, " is not a regular file"));
    }
    file.size_ = static_cast<size_t>(info.st_size);
    return file;
  }
  JournalFile(JournalFile&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
  ~JournalFile() {
    if (fd_ >= 0) close(fd_);
  }

  size_t size() const { return size_; }
  const std::string& path() const { return path_; }
  int fd() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

  // Fewer bytes than asked for only at the end of the file.
  absl::StatusOr<std::string> Read(size_t offset, size_t bytes) const {
    std::string out(bytes, '\0');
    size_t done = 0;
    while (done < bytes) {
      const ssize_t n =
          pread(fd_, out.data() + done, bytes - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return ErrnoStatus(errno, "read journal", path_);
      if (n == 0) break;
      done += static_cast<size_t>(n);
    }
    out.resize(done);
    return out;
  }

  // Offset just past the last newline before `end`; 0 if there is none.
  absl::StatusOr<size_t> LineStart(size_t end) const {
    while (end > 0) {
      const size_t from = end - std::min(end, kChunkBytes);
      STILE_ASSIGN_OR_RETURN(const std::string chunk, Read(from, end - from));
      const size_t newline = chunk.rfind('\n');
      if (newline != std::string::npos) return from + newline + 1;
      end = from;
    }
    return size_t{0};
  }

 private:
  JournalFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
  size_t size_ = 0;
};

// The event of the whole line that ends just before `end` (which follows its newline), and where
// the line starts.
struct LastLine {
  absl::StatusOr<Event> event;
  size_t start;
};
absl::StatusOr<LastLine> ReadLineBefore(const JournalFile& file, size_t end) {
  STILE_ASSIGN_OR_RETURN(const size_t start, file.LineStart(end - 1));
  if (end - start > kMaxJournalLineBytes)
    return LastLine{absl::DataLossError("line too long"), start};
  STILE_ASSIGN_OR_RETURN(const std::string line, file.Read(start, end - 1 - start));
  return LastLine{ParseJournalLine(line), start};
}

absl::Status Damaged(absl::string_view path, size_t line, absl::string_view why) {
  return absl::DataLossError(
      absl::StrCat(path, ":", line, ": damaged journal: ", why,
                   "; the run cannot be read beyond that line: put the file "
                   "back from a backup, or cut it there to go on from before"));
}

// Calls `visit` with each whole line (without its newline) until it returns false.
template <typename Visit>
absl::Status ForEachLine(const JournalFile& file, const Visit& visit) {
  std::string pending;
  size_t line_number = 0;
  for (size_t offset = 0;;) {
    STILE_ASSIGN_OR_RETURN(const std::string chunk, file.Read(offset, kChunkBytes));
    if (chunk.empty()) break;
    offset += chunk.size();
    size_t start = 0;
    for (size_t end; (end = chunk.find('\n', start)) != std::string::npos; start = end + 1) {
      pending.append(chunk, start, end - start);
      if (!visit(++line_number, absl::string_view(pending), true)) return absl::OkStatus();
      pending.clear();
    }
    pending.append(chunk, start, std::string::npos);
    if (pending.size() > kMaxJournalLineBytes) {
      return Damaged(file.path(), line_number + 1, "line too long");
    }
  }
  if (!pending.empty()) visit(line_number + 1, absl::string_view(pending), false);
  return absl::OkStatus();
}

}  // namespace

JournalWriter::JournalWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
JournalWriter::~JournalWriter() {
  if (sync_.valid()) sync_.wait();
  close(fd_);
}

absl::StatusOr<std::unique_ptr<JournalWriter>> JournalWriter::Open(const std::string& path) {
  STILE_ASSIGN_OR_RETURN(JournalFile file, JournalFile::Open(path, O_RDWR | O_CREAT | O_APPEND));
  STILE_ASSIGN_OR_RETURN(size_t keep, file.LineStart(file.size()));
  if (keep == file.size() && keep > 0) {
    STILE_ASSIGN_OR_RETURN(const LastLine last, ReadLineBefore(file, keep));
    if (!last.event.ok()) keep = last.start;
  }
  if (keep < file.size() && ftruncate(file.fd(), static_cast<off_t>(keep)) != 0) {
    return ErrnoStatus(errno, "cut the torn end of journal", path);
  }
  return std::unique_ptr<JournalWriter>(new JournalWriter(path, file.Release()));
}

void JournalWriter::Append(const Event& event) {
  if (!status_.ok() || !IsJournaled(event.type)) return;
  const std::string line = DumpJson(ToJson(event)) + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = write(fd_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      status_ = ErrnoStatus(errno, "write journal", path_);
      return;
    }
    done += static_cast<size_t>(n);
  }
}

absl::Status JournalWriter::SyncSoon() {
  if (sync_.valid()) status_.Update(sync_.get());
  if (!status_.ok()) return status_;
  sync_ = std::async(kAsyncIfPossible, [fd = fd_, path = path_] {
    return fdatasync(fd) == 0 ? absl::OkStatus() : ErrnoStatus(errno, "sync journal", path);
  });
  return status_;
}

absl::Status JournalWriter::Sync() {
  if (sync_.valid()) status_.Update(sync_.get());
  if (status_.ok() && fdatasync(fd_) != 0) status_ = ErrnoStatus(errno, "sync journal", path_);
  return status_;
}

absl::StatusOr<Event> ParseJournalLine(absl::string_view line) {
  STILE_ASSIGN_OR_RETURN(const Json json, ParseJson(line, kMaxDepth));
  return EventFromJson(json);
}

absl::StatusOr<JournalContents> ReadJournal(const std::string& path, const SecretMasker* secrets) {
  STILE_ASSIGN_OR_RETURN(const JournalFile file, JournalFile::Open(path, O_RDONLY));
  JournalContents contents;
  absl::Status damage;  // of the line before the present one, or of its sequence
  STILE_RETURN_IF_ERROR(ForEachLine(file, [&](size_t number, absl::string_view line, bool whole) {
    if (!damage.ok()) {  // not the last line after all
      contents.torn = false;
      return false;
    }
    absl::StatusOr<Event> event =
        whole ? ParseJournalLine(line) : absl::DataLossError("the line is incomplete");
    if (!event.ok()) {
      damage = Damaged(path, number, event.status().message());
      contents.torn = true;
      return true;
    }
    if (!contents.events.empty() && event->seq <= contents.events.back().seq) {
      damage = Damaged(path, number,
                       absl::StrCat("seq ", event->seq, " follows ", contents.events.back().seq));
      return false;
    }
    if (secrets != nullptr) secrets->RestoreFields(&event->data);
    contents.events.push_back(*std::move(event));
    return true;
  }));
  if (!damage.ok() && !contents.torn) return damage;
  return contents;
}

absl::StatusOr<JournalEnds> ReadJournalEnds(const std::string& path) {
  STILE_ASSIGN_OR_RETURN(const JournalFile file, JournalFile::Open(path, O_RDONLY));
  STILE_ASSIGN_OR_RETURN(size_t end, file.LineStart(file.size()));
  if (end == 0) return absl::NotFoundError(absl::StrCat(path, " holds no event yet"));
  JournalEnds ends;
  absl::Status damage = Damaged(path, 1, "it holds no event");
  STILE_RETURN_IF_ERROR(ForEachLine(file, [&](size_t number, absl::string_view line, bool whole) {
    absl::StatusOr<Event> event =
        whole ? ParseJournalLine(line) : absl::DataLossError("the line is incomplete");
    if (number == 1) {
      damage = event.ok() ? absl::OkStatus() : Damaged(path, 1, event.status().message());
      if (event.ok()) ends.first = ends.second = *std::move(event);
      return damage.ok();
    }
    if (event.ok()) ends.second = *std::move(event);
    return false;
  }));
  STILE_RETURN_IF_ERROR(damage);
  STILE_ASSIGN_OR_RETURN(LastLine last, ReadLineBefore(file, end));
  if (!last.event.ok() && last.start > 0) {
    STILE_ASSIGN_OR_RETURN(last, ReadLineBefore(file, last.start));
  }
  if (!last.event.ok()) {
    return absl::DataLossError(
        absl::StrCat(path, ": damaged journal: ", last.event.status().message()));
  }
  ends.last = *std::move(last.event);
  return ends;
}

}  // namespace stile

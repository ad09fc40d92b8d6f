#include "agents/cli/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

// A FIFO without a writer reports its end at once.
constexpr int kWriterPollMs = 50;
constexpr size_t kMaxLineBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<LineReader>> LineReader::Open(const std::string& path) {
  if (path == "-") return std::make_unique<LineReader>(STDIN_FILENO);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  auto reader = std::make_unique<LineReader>(fd);
  reader->owned_ = true;
  struct stat info {};
  reader->waits_for_writer_ = fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
  return reader;
}

LineReader::~LineReader() {
  if (owned_) close(fd_);
}

bool LineReader::Next(const Cancellation* cancellation, std::string* line) {
  line->clear();
  while (line->size() < kMaxLineBytes) {
    pollfd waiting[] = {{fd_, POLLIN, 0}, {cancellation->fd(), POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0 && errno != EINTR) return false;
    if (cancellation->cancelled()) return false;
    if ((waiting[0].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    char byte = 0;
    const ssize_t size = read(fd_, &byte, 1);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size == 0 && waits_for_writer_) {
      if (cancellation->WaitFor(absl::Milliseconds(kWriterPollMs))) return false;
      continue;
    }
    if (size <= 0) return !line->empty();
    waits_for_writer_ = false;
    if (byte == '\n') return true;
    *line += byte;
  }
  return true;
}

absl::StatusOr<std::string> ReadStandardInput(size_t max_bytes, absl::Duration patience) {
  std::string text;
  char buffer[1 << 16];
  const int wait_ms = patience == absl::InfiniteDuration()
                          ? -1
                          : static_cast<int>(absl::ToInt64Milliseconds(patience));
  while (true) {
    pollfd entry{STDIN_FILENO, POLLIN, 0};
    if (poll(&entry, 1, wait_ms) == 0) return text;
    const ssize_t n = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "read", "stdin");
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > max_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("stdin: ", max_bytes >> 20, " MiB are allowed at most"));
    }
  }
}

}  // namespace stile

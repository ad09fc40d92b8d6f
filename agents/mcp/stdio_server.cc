#include "agents/mcp/stdio_server.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace stile {
namespace {

constexpr size_t kMaxMessageBytes = size_t{16} << 20;
constexpr size_t kReadBytes = size_t{64} << 10;
// How long a peer that has closed its end of the input may take to read more of the output.
constexpr absl::Duration kPatienceAtEnd = absl::Seconds(30);
constexpr int kLookMs = 250;  // between looks whether that has begun

// Writes messages whole, one at a time, until the peer is gone or the server ends. Blocks as long
// as the peer reads nothing; once it has closed the input, for kPatienceAtEnd at most. Thread-safe.
class LineWriter {
 public:
  LineWriter(int in, int out, const Cancellation* cancellation)
      : in_(in), fd_(out), cancellation_(*cancellation) {}

  void Write(const Json& message) {
    const std::string line = absl::StrCat(DumpJson(message), "\n");
    const std::lock_guard<std::mutex> lock(mutex_);
    absl::string_view left = line;
    absl::Time progress = absl::Now();
    while (!left.empty() && !is_broken_) {
      pollfd events[] = {{fd_, POLLOUT, 0},
                         {cancellation_.fd(), POLLIN, 0},
                         {is_ending_ ? -1 : in_, POLLRDHUP, 0}};
      if (poll(events, 3, kLookMs) < 0 && errno != EINTR) is_broken_ = true;
      // The thread that would read the end may be the one that writes here.
      if ((events[2].revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0) End();
      if (!is_ending_) progress = absl::Now();
      if (absl::Now() - progress > kPatienceAtEnd) is_broken_ = is_unread_ = true;
      if ((events[1].revents & POLLIN) != 0) is_broken_ = true;
      if ((events[0].revents & (POLLOUT | POLLERR | POLLHUP)) == 0 || is_broken_) continue;
      // A pipe that is ready takes this much without blocking.
      const ssize_t written = write(fd_, left.data(), std::min<size_t>(left.size(), PIPE_BUF));
      if (written >= 0) {
        progress = absl::Now();
        left.remove_prefix(static_cast<size_t>(written));
      } else if (errno != EINTR && errno != EAGAIN) {
        is_broken_ = true;
      }
    }
  }

  bool is_broken() const { return is_broken_; }
  // Whether the peer had its time, and did not read all messages.
  bool is_unread() const { return is_unread_; }
  void End() { is_ending_ = true; }

 private:
  const int in_;
  const int fd_;
  const Cancellation& cancellation_;
  std::mutex mutex_;
  std::atomic<bool> is_broken_{false};
  std::atomic<bool> is_unread_{false};
  std::atomic<bool> is_ending_{false};
};

// Of an output: a pipe whose reader is gone has an error, a socket has hung up.
bool IsGone(int16_t revents) { return (revents & (POLLERR | POLLHUP | POLLNVAL)) != 0; }

// The lines of the input; those that are too long are reported in place of being given.
class Lines {
 public:
  using OnLine = std::function<void(absl::string_view line)>;
  Lines(OnLine on_line, std::function<void()> on_too_long)
      : on_line_(std::move(on_line)), on_too_long_(std::move(on_too_long)) {}

  void Add(absl::string_view bytes) {
    for (;;) {
      const size_t end = bytes.find('\n');
      const absl::string_view piece = bytes.substr(0, end);
      if (!is_skipping_ && line_.size() + piece.size() > kMaxMessageBytes) {
        is_skipping_ = true;
        line_.clear();
        on_too_long_();
      }
      if (!is_skipping_) absl::StrAppend(&line_, piece);
      if (end == absl::string_view::npos) return;
      End();
      bytes.remove_prefix(end + 1);
    }
  }
  // Also at the end of the input: a last line may lack its break.
  void End() {
    if (!is_skipping_ && !absl::StripAsciiWhitespace(line_).empty()) on_line_(line_);
    is_skipping_ = false;
    line_.clear();
  }

 private:
  const OnLine on_line_;
  const std::function<void()> on_too_long_;
  std::string line_;
  bool is_skipping_ = false;  // the rest of a line that is too long
};

void HandleLine(absl::string_view line, McpSession* session, const McpSession::Reply& reply) {
  const absl::StatusOr<Json> message = ParseJson(line);
  if (!message.ok()) {
    return reply(
        ErrorMessage(nullptr, {kParseError, std::string(message.status().message()), nullptr}));
  }
  if (!message->is_array()) return session->Handle(*message, reply);
  // A batch, as revision 2025-03-26 allows; each request is answered by itself.
  if (message->empty()) {
    return reply(ErrorMessage(nullptr, {kInvalidRequest, "an empty batch", nullptr}));
  }
  for (const Json& single : *message) session->Handle(single, reply);
}

enum class InputEnd { kClosed, kPeerGone, kCancelled };

// Hands the input to `lines` until it ends.
InputEnd ReadAll(int in, int out, const LineWriter& writer, const Cancellation* cancellation,
                 Lines* lines) {
  std::string buffer(kReadBytes, '\0');
  for (;;) {
    pollfd events[] = {{in, POLLIN, 0}, {cancellation->fd(), POLLIN, 0}, {out, 0, 0}};
    if (poll(events, 3, -1) < 0) {
      if (errno == EINTR) continue;
      return InputEnd::kPeerGone;
    }
    if ((events[1].revents & POLLIN) != 0) return InputEnd::kCancelled;
    if (writer.is_broken() || IsGone(events[2].revents)) {
      return InputEnd::kPeerGone;
    }
    if ((events[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) == 0) continue;
    const ssize_t count = read(in, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    lines->Add(absl::string_view(buffer.data(), static_cast<size_t>(count)));
  }
  lines->End();
  return InputEnd::kClosed;
}

bool IsPeerGone(int out) {
  pollfd event = {out, 0, 0};
  return poll(&event, 1, 0) > 0 && IsGone(event.revents);
}

}  // namespace

absl::Status ServeStdio(const McpServices& services, int in, int out,
                        const Cancellation* cancellation) {
  // Also of replies that come when this function has returned.
  const auto writer = std::make_shared<LineWriter>(in, out, cancellation);
  McpSession session(&services);
  const McpSession::Reply reply = [writer](const Json& message) {
    if (!message.is_null()) writer->Write(message);
  };
  session.notices()->Attach(reply);
  Lines lines([&](absl::string_view line) { HandleLine(line, &session, reply); },
              [&] {
                reply(ErrorMessage(nullptr, {kParseError,
                                             absl::StrCat("a message of more than ",
                                                          kMaxMessageBytes >> 20, " MiB"),
                                             nullptr}));
              });
  InputEnd end = ReadAll(in, out, *writer, cancellation, &lines);
  writer->End();
  session.EndListening();
  while (end == InputEnd::kClosed && !session.WaitFor(absl::Milliseconds(50))) {
    if (cancellation->cancelled()) end = InputEnd::kCancelled;
    if (writer->is_broken() || IsPeerGone(out)) end = InputEnd::kPeerGone;
  }
  services.calls->CancelAll();
  services.tasks->CancelAll();
  if (end == InputEnd::kCancelled) return absl::CancelledError("cancelled");
  if (!writer->is_unread()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("the client closed its input, then read nothing for ",
                                             absl::ToInt64Seconds(kPatienceAtEnd),
                                             " seconds; replies that it had not read are lost"));
}

}  // namespace stile

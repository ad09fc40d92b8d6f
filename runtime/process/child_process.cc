#include "runtime/process/child_process.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"

namespace stile {
namespace {

// Everything is handed on as it arrives; this much is kept for Result.
constexpr size_t kKeptBytes = size_t{64} << 10;
constexpr size_t kShownBytes = 500;  // of the end of its standard error

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    std::shared_ptr<ProcessRunner> runner, ProcessRequest request, size_t max_unread_bytes) {
  std::unique_ptr<ChildProcess> child(new ChildProcess());
  ChildProcess* const self = child.get();
  self->grace_ = request.grace;
  self->max_unread_bytes_ = max_unread_bytes;
  request.stdin_text.clear();
  request.input = &self->input_;
  request.cancellation = &self->cancellation_;
  request.max_output_bytes = kKeptBytes;
  request.on_output = [self](OutputStream stream, absl::string_view bytes) {
    if (stream != OutputStream::kStdout) return;
    const std::lock_guard<std::mutex> lock(self->mutex_);
    if (self->flooded_ || self->Unread().size() + bytes.size() > self->max_unread_bytes_) {
      self->flooded_ = true;
      self->cancellation_.Cancel();
    } else {
      self->out_.append(bytes.data(), bytes.size());
    }
    self->changed_.notify_all();
  };
  self->thread_ = TryStartThread([self, runner = std::move(runner), request = std::move(request)] {
    absl::StatusOr<ProcessResult> result = runner->Run(request);
    const std::lock_guard<std::mutex> lock(self->mutex_);
    self->result_ = std::move(result);
    self->changed_.notify_all();
  });
  if (!self->thread_.joinable()) {
    return absl::ResourceExhaustedError("the system has no more threads");
  }
  return child;
}

ChildProcess::~ChildProcess() {
  if (!thread_.joinable()) return;
  input_.Close();
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, absl::ToChronoNanoseconds(grace_),
                      [this] { return result_.has_value(); });
  }
  cancellation_.Cancel();
  thread_.join();
}

absl::StatusOr<std::string> ChildProcess::Take(const std::function<bool()>& is_ready,
                                               const std::function<size_t()>& size,
                                               absl::Duration timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  bool ready = false;
  changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout), [&] {
    ready = is_ready();
    return ready || flooded_ || result_.has_value();
  });
  if (ready) {
    std::string bytes(Unread().substr(0, size()));
    read_ += bytes.size();
    if (read_ > out_.size() / 2) {  // so that each byte is moved once at most
      out_.erase(0, read_);
      read_ = 0;
    }
    return bytes;
  }
  if (flooded_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it wrote more than ", max_unread_bytes_, " bytes that were not asked for"));
  }
  if (!result_.has_value()) {
    return absl::DeadlineExceededError(
        absl::StrCat("no answer within ", absl::FormatDuration(timeout)));
  }
  if (!result_->ok()) return result_->status();
  const absl::string_view said = absl::StripAsciiWhitespace((*result_)->err);
  const std::string end =
      ToUtf8(said.size() <= kShownBytes ? said : said.substr(said.size() - kShownBytes));
  return absl::FailedPreconditionError(
      absl::StrCat("it ended: ", (*result_)->Description(), end.empty() ? "" : ": ", end));
}

absl::StatusOr<std::string> ChildProcess::ReadExactly(size_t size, absl::Duration timeout) {
  return Take([&] { return Unread().size() >= size; }, [&] { return size; }, timeout);
}

absl::StatusOr<std::string> ChildProcess::ReadThrough(absl::string_view end, size_t max_size,
                                                      absl::Duration timeout) {
  size_t found = absl::string_view::npos;
  size_t looked_at = 0;  // bytes before which `end` does not begin
  const auto is_ready = [&] {
    const absl::string_view unread = Unread();
    found = unread.substr(0, max_size).find(end, looked_at);
    looked_at = unread.size() < end.size() ? 0 : std::min(unread.size(), max_size) - end.size();
    return found != absl::string_view::npos || unread.size() >= max_size;
  };
  const auto size = [&] { return found == absl::string_view::npos ? 0 : found + end.size(); };
  STILE_ASSIGN_OR_RETURN(std::string bytes, Take(is_ready, size, timeout));
  if (bytes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the first ", max_size, " bytes of its output hold no end of a line"));
  }
  return bytes;
}

std::optional<absl::StatusOr<ProcessResult>> ChildProcess::Result() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return result_;
}

}  // namespace stile

#include "runtime/process/child_process.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/threads.h"

namespace stile {
namespace {

// Everything is handed on as it arrives; this much is kept for Result.
constexpr size_t kKeptBytes = size_t{64} << 10;

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    std::shared_ptr<ProcessRunner> runner, ProcessRequest request) {
  std::unique_ptr<ChildProcess> child(new ChildProcess());
  ChildProcess* const self = child.get();
  self->grace_ = request.grace;
  request.stdin_text.clear();
  request.input = &self->input_;
  request.cancellation = &self->cancellation_;
  request.max_output_bytes = kKeptBytes;
  request.on_output = [self](OutputStream stream, absl::string_view bytes) {
    if (stream != OutputStream::kStdout) return;
    const std::lock_guard<std::mutex> lock(self->mutex_);
    self->out_.append(bytes.data(), bytes.size());
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

absl::StatusOr<std::string> ChildProcess::ReadExactly(size_t size, absl::Duration timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout),
                    [&] { return out_.size() >= size || result_.has_value(); });
  if (out_.size() >= size) {
    std::string bytes = out_.substr(0, size);
    out_.erase(0, size);
    return bytes;
  }
  if (!result_.has_value()) {
    return absl::DeadlineExceededError(
        absl::StrCat("no answer within ", absl::FormatDuration(timeout)));
  }
  if (!result_->ok()) return result_->status();
  return absl::FailedPreconditionError(absl::StrCat("it ended: ", (*result_)->Description()));
}

std::optional<absl::StatusOr<ProcessResult>> ChildProcess::Result() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return result_;
}

}  // namespace stile

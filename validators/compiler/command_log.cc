#include "validators/compiler/command_log.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "validators/compiler/command_run.h"

namespace stile {
namespace {

// A line that is longer is no report of a test runner, and is shown as it came.
constexpr size_t kMaxLineBytes = size_t{4} << 20;

}  // namespace

CommandLog::CommandLog(ValidationLog log, const std::string& display,
                       std::string (*readable)(absl::string_view line))
    : log_(std::move(log)), readable_(readable) {
  Write(absl::StrCat("$ ", display, "\n"));
}

void CommandLog::Attach(ProcessRequest* process) {
  if (!log_) return;
  process->on_output = [this](OutputStream stream, absl::string_view piece) {
    // Only stdout has a form for programs.
    if (readable_ == nullptr || stream == OutputStream::kStderr) return Write(piece);
    absl::StrAppend(&partial_, piece);
    size_t begin = 0;
    for (size_t end = 0; (end = partial_.find('\n', begin)) != partial_.npos; begin = end + 1) {
      WriteLine(absl::string_view(partial_).substr(begin, end - begin));
    }
    partial_.erase(0, begin);
    if (partial_.size() > kMaxLineBytes) Write(std::exchange(partial_, ""));
  };
}

void CommandLog::End(const absl::StatusOr<ProcessResult>& outcome) {
  if (!log_) return;
  if (!partial_.empty()) WriteLine(std::exchange(partial_, ""));
  if (!at_line_start_) Write("\n");
  if (outcome.ok() && outcome->ok()) return;
  Write(
      absl::StrCat("[", outcome.ok() ? outcome->Description() : outcome.status().message(), "]\n"));
}

void CommandLog::Add(const absl::StatusOr<ProcessResult>& outcome) {
  if (log_ && outcome.ok()) Write(AllOutput(*outcome));
  End(outcome);
}

void CommandLog::Write(absl::string_view piece) {
  if (!log_ || piece.empty()) return;
  at_line_start_ = piece.back() == '\n';
  log_(piece);
}

void CommandLog::WriteLine(absl::string_view line) {
  const std::string text = readable_(line);
  if (text.empty()) return;
  Write(text);
  if (!at_line_start_) Write("\n");
}

}  // namespace stile

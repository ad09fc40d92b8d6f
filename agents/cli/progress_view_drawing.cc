// The part of ProgressView that writes to the terminal.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/cli/output.h"
#include "agents/cli/progress_view.h"
#include "runtime/base/text.h"

namespace stile {

void ProgressView::Line(absl::string_view text) {
  const std::string line = absl::StrCat(mid_line_ ? "\n" : "", prefix_, text, "\n");
  if (suspended_) {  // somebody is being asked
    held_.append(line);
  } else {
    Erase();
    write_(line);
  }
  mid_line_ = false;
}

void ProgressView::Streamed(Style style, absl::string_view text) {
  if (text.empty()) return;
  Erase();
  const std::string printable = Printable(text);
  write_(In(style, printable));
  mid_line_ = printable.back() != '\n';
}

void ProgressView::Erase() {
  if (!drawn_) return;
  drawn_ = false;
  const int columns = Columns();
  const bool is_narrower = columns < drawn_columns_ && options_.terminal.clears;
  if (is_narrower || options_.terminal.color) {
    // The terminal may have broken the line into several; the cursor is where the first begins. All
    // below the cursor is not cleared at once: some terminals would keep a copy.
    std::string erase = "\r\x1b[K";
    const int further = is_narrower ? (drawn_columns_ - 1) / columns : 0;
    for (int i = 0; i < further; ++i) erase += "\x1b[B\x1b[K";
    return write_(further > 0 ? absl::StrCat(erase, "\x1b[", further, "A") : erase);
  }
  // Under NO_COLOR and on simple terminals blanks do it.
  write_(absl::StrCat("\r", std::string(std::min(columns, drawn_columns_) - 1, ' '), "\r"));
}

std::string ProgressView::GateText() const {
  switch (gate_) {
    case Gate::kClean:
      return "gate clean";
    case Gate::kDirty:
      return "gate dirty";
    case Gate::kFailed:
      return absl::StrCat("gate failed ", failures_, "/", options_.max_failures);
    case Gate::kAccepted:
      return "gate accepted";
  }
  return "";
}

std::string ProgressView::StatusText() {
  std::vector<std::string> parts;
  if (!step_.empty() && step_ != "story") parts.push_back(step_);
  if (stopping_) parts.emplace_back("stopping; Ctrl-C again ends it at once");
  // Steps of workflows that are no agents have neither turns nor a gate.
  if (has_turns_) {
    parts.push_back(absl::StrCat(
        "turn ", turn_, options_.max_turns > 0 ? absl::StrCat("/", options_.max_turns) : ""));
  }
  if (!activity_.empty()) parts.push_back(activity_);
  if (has_turns_) parts.push_back(GateText());
  // The numbers come last, and a long activity must not push them out.
  const std::string numbers =
      absl::StrCat(" · ", absl::ToInt64Seconds(clock_->Monotonic() - started_), "s · ",
                   FormatCount(tokens_), " tokens");
  const int room = Columns() - 1 - static_cast<int>(numbers.size());
  return absl::StrCat(FitColumns(absl::StrJoin(parts, " · "), std::max(room, 10)), numbers);
}

// Nothing is drawn within a line of streamed text: it would be torn apart.
void ProgressView::Draw() {
  if (!options_.terminal.is_tty || suspended_ || mid_line_) return;
  const absl::Duration now = clock_->Monotonic();
  if (now - last_drawn_ < kRedrawInterval) return;
  last_drawn_ = now;
  Erase();
  // One column less than there are, so that the cursor does not wrap. It goes back to the first
  // one: a terminal that becomes narrower keeps it there, however many lines it makes of this one.
  // While the line is written nothing wraps, as the terminal may be narrower already than it says.
  drawn_columns_ = Columns();
  const std::string line = FitColumns(StatusText(), drawn_columns_ - 1);
  write_(options_.terminal.color ? absl::StrCat("\x1b[?7l", In(Style::kDim, line), "\x1b[?7h\r")
                                 : absl::StrCat(line, "\r"));
  drawn_ = true;
}

void ProgressView::Tick() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Draw();
}

void ProgressView::SetStopping() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopping_ = true;
}

void ProgressView::Suspend() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Erase();
  suspended_ = true;
}

void ProgressView::Resume() {
  const std::lock_guard<std::mutex> lock(mutex_);
  suspended_ = false;
  if (!held_.empty()) write_(std::exchange(held_, ""));
  Draw();
}

}  // namespace stile

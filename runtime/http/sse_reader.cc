#include "runtime/http/sse_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stile {

SseReader::SseReader(Sink sink, size_t max_event_bytes)
    : sink_(std::move(sink)),
      max_event_bytes_(max_event_bytes),
      lines_(max_event_bytes, [this](absl::string_view line) { return OnLine(line); }) {}

absl::Status SseReader::Push(absl::string_view bytes) { return lines_.Push(bytes); }

absl::Status SseReader::Finish() { return Dispatch(); }

absl::Status SseReader::OnLine(absl::string_view line) {
  if (first_line_) absl::ConsumePrefix(&line, "\xEF\xBB\xBF");
  first_line_ = false;
  if (line.empty()) return Dispatch();
  const size_t colon = line.find(':');
  const absl::string_view field = line.substr(0, colon);
  absl::string_view value = colon == absl::string_view::npos ? "" : line.substr(colon + 1);
  absl::ConsumePrefix(&value, " ");
  if (field == "data") {
    if (event_.data.size() + value.size() + 1 > max_event_bytes_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("an event of the answer is larger than ", max_event_bytes_, " bytes"));
    }
    if (has_data_) event_.data.push_back('\n');
    event_.data.append(value.data(), value.size());
    has_data_ = true;
  } else if (field == "event") {
    event_.event = std::string(value);
  } else if (field == "id" && value.find('\0') == absl::string_view::npos) {
    event_.id = std::string(value);
  }
  return absl::OkStatus();
}

absl::Status SseReader::Dispatch() {
  SseEvent event = event_;
  event_.event.clear();
  event_.data.clear();
  if (!std::exchange(has_data_, false)) return absl::OkStatus();
  if (event.event.empty()) event.event = "message";
  return sink_(event);
}

}  // namespace stile

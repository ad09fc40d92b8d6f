#include "runtime/http/line_splitter.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {

absl::Status LineSplitter::Push(absl::string_view bytes) {
  while (!bytes.empty()) {
    if (after_cr_ && bytes[0] == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const size_t end = bytes.find_first_of("\r\n");
    const absl::string_view piece = bytes.substr(0, end);
    if (partial_.size() + piece.size() > max_line_bytes_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a line of the answer is longer than ", max_line_bytes_, " bytes"));
    }
    if (end == absl::string_view::npos) {
      partial_.append(piece.data(), piece.size());
      return absl::OkStatus();
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (partial_.empty()) {
      STILE_RETURN_IF_ERROR(sink_(piece));
      continue;
    }
    partial_.append(piece.data(), piece.size());
    const std::string line = std::move(partial_);
    partial_.clear();
    STILE_RETURN_IF_ERROR(sink_(line));
  }
  return absl::OkStatus();
}

absl::Status LineSplitter::Finish() {
  if (partial_.empty()) return absl::OkStatus();
  const std::string line = std::move(partial_);
  partial_.clear();
  return sink_(line);
}

}  // namespace stile

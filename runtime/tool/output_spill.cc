#include "runtime/tool/output_spill.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxSpillBytes = size_t{256} << 20;
constexpr size_t kPendingBytes = size_t{256} << 10;

}  // namespace

OutputSpill::OutputSpill(FileSystem* fs, std::string folder, std::string prefix, size_t threshold)
    : fs_(fs), folder_(std::move(folder)), prefix_(std::move(prefix)), threshold_(threshold) {}

void OutputSpill::Append(absl::string_view bytes) {
  if (folder_.empty() || !status_.ok() || cut_) return;
  const size_t room = kMaxSpillBytes - total_;
  cut_ = bytes.size() > room;
  bytes = bytes.substr(0, room);
  total_ += bytes.size();
  pending_.append(bytes.data(), bytes.size());
  if (total_ > threshold_ && pending_.size() >= kPendingBytes) Flush();
}

void OutputSpill::Flush() {
  if (path_.empty()) {
    status_ = fs_->MakeDirs(folder_);
    if (!status_.ok()) return;
    path_ = JoinPath(folder_, absl::StrCat(prefix_, "-", RandomHex(4), ".txt"));
  }
  status_ = fs_->AppendFile(path_, pending_, /*sync=*/false);
  pending_.clear();
}

absl::Status OutputSpill::Finish() {
  if (status_.ok() && !folder_.empty() && total_ > threshold_ && !pending_.empty()) Flush();
  if (!status_.ok()) path_.clear();
  return status_;
}

std::string ShortenWithFile(FileSystem* fs, const std::string& folder, const std::string& prefix,
                            const std::string& text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  OutputSpill spill(fs, folder, prefix, max_bytes);
  spill.Append(text);
  const absl::Status status = spill.Finish();
  std::string shorter = TruncateMiddle(text, max_bytes);
  if (!absl::EndsWith(shorter, "\n")) shorter += '\n';
  if (!spill.path().empty()) {
    absl::StrAppend(&shorter, "[whole text", spill.cut() ? " (its beginning)" : "", ": ",
                    spill.path(), "]\n");
  } else if (!status.ok()) {
    absl::StrAppend(&shorter, "[the whole text could not be kept: ", status.message(), "]\n");
  }
  return shorter;
}

}  // namespace stile

#include "agents/api/tracked_files.h"

#include "absl/time/time.h"
#include "runtime/session/workspace_state.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

const std::vector<std::string>& TrackedFiles::Get() {
  if (!is_open_) {
    is_open_ = true;
    auto opened = Repository::Open(runner_, workspace_);
    if (opened.ok()) repository_ = *std::move(opened);
  }
  if (!repository_.has_value()) return files_;
  SeenFile index;
  index.looked_at_ns = absl::ToUnixNanos(clock_->Now());
  if (!DiskStampOf(JoinPath(repository_->git_dir(), "index"), &index.stamp)) {
    files_.clear();  // nothing was added yet
    index_ = SeenFile();
    return files_;
  }
  if (index_.IsOf(index.stamp)) return files_;
  auto tracked = TrackedIn(*repository_, workspace_);
  if (!tracked.ok()) return files_;  // as before; asked again the next time
  index_ = index;
  files_ = *std::move(tracked);
  return files_;
}

}  // namespace stile

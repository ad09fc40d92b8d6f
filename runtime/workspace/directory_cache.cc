#include "runtime/workspace/directory_cache.h"

#include <sys/stat.h>

#include <utility>

#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_time.h"

namespace stile {
namespace {

constexpr size_t kMaxKeptEntries = 500'000;  // of a tree that large, all is read again

}  // namespace

absl::StatusOr<DirectoryEntries> DirectoryCache::List(const std::string& path) {
  const int64_t now_ns = absl::ToUnixNanos(clock_->Now());
  struct stat info {};
  const bool is_folder = lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  const DiskStamp stamp = DiskStampOf(info);
  const auto found = known_.find(path);
  if (found != known_.end()) {
    const Known& known = found->second;
    if (is_folder && known.stamp == stamp && SafelyBefore(stamp.mtime_ns, known.looked_at_ns) &&
        SafelyBefore(stamp.ctime_ns, known.looked_at_ns)) {
      return known.entries;
    }
    kept_entries_ -= known.entries->size();
    known_.erase(found);
  }
  ++folders_read_;
  STILE_ASSIGN_OR_RETURN(std::vector<DirectoryEntry> list, ListEntries(path));
  auto entries = std::make_shared<const std::vector<DirectoryEntry>>(std::move(list));
  if (!is_folder) return entries;
  if (kept_entries_ + entries->size() > kMaxKeptEntries) {
    known_.clear();
    kept_entries_ = 0;
  }
  kept_entries_ += entries->size();
  known_[path] = {stamp, now_ns, entries};
  return entries;
}

}  // namespace stile

// The entries of folders, kept while the stamp of a folder says that they are still the same.
#ifndef STILE_RUNTIME_WORKSPACE_DIRECTORY_CACHE_H_
#define STILE_RUNTIME_WORKSPACE_DIRECTORY_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/clock.h"
#include "runtime/workspace/disk_stamp.h"
#include "runtime/workspace/file_system.h"

namespace stile {

using DirectoryEntries = std::shared_ptr<const std::vector<DirectoryEntry>>;

// For a process that walks the same tree often: one look at a folder is cheaper than reading it.
// A folder gets a new modification time when an entry is added, removed or renamed. What happens
// to the content of a file does not show here. Not thread-safe.
class DirectoryCache {
 public:
  // `clock` is not owned, and outlives the cache.
  explicit DirectoryCache(Clock* clock) : clock_(clock) {}

  // As ListEntries, of which it has the errors.
  absl::StatusOr<DirectoryEntries> List(const std::string& path);

  size_t folders_read() const { return folders_read_; }  // the others were known

 private:
  struct Known {
    DiskStamp stamp;
    int64_t looked_at_ns = 0;  // wall clock, before stamp and entries were taken
    DirectoryEntries entries;
  };

  Clock* const clock_;
  std::unordered_map<std::string, Known> known_;  // by path
  size_t kept_entries_ = 0;                       // of all in known_
  size_t folders_read_ = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_DIRECTORY_CACHE_H_

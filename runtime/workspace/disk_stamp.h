// Size, inode and times of a file, to tell whether it changed.
#ifndef STILE_RUNTIME_WORKSPACE_DISK_STAMP_H_
#define STILE_RUNTIME_WORKSPACE_DISK_STAMP_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace stile {

// Tells that a file is still as it was, see SafelyBefore in runtime/workspace/file_time.h.
struct DiskStamp {
  uint64_t size = 0;
  uint64_t inode = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;

  bool operator==(const DiskStamp&) const = default;
};

DiskStamp DiskStampOf(const struct stat& info);
// Of a regular file. False when there is none.
bool DiskStampOf(const std::string& path, DiskStamp* stamp);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_DISK_STAMP_H_

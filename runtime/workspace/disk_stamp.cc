#include "runtime/workspace/disk_stamp.h"

#include "runtime/workspace/file_time.h"

namespace stile {

DiskStamp DiskStampOf(const struct stat& info) {
  DiskStamp stamp;
  stamp.size = static_cast<uint64_t>(info.st_size);
  stamp.inode = info.st_ino;
  stamp.mtime_ns = Nanoseconds(info.st_mtim);
  stamp.ctime_ns = Nanoseconds(info.st_ctim);
  return stamp;
}

bool DiskStampOf(const std::string& path, DiskStamp* stamp) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  *stamp = DiskStampOf(info);
  return true;
}

}  // namespace stile

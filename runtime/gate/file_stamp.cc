#include "runtime/gate/file_stamp.h"

#include <sys/stat.h>

#include "runtime/base/clock.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
// More than any clock of a file system here leaves two writes apart (git calls them racily clean).
constexpr absl::Duration kTick = absl::Milliseconds(50);

FileStamp StatOf(const std::string& path) {
  FileStamp stamp;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return stamp;
  stamp.size = info.st_size;
  stamp.inode = info.st_ino;
  stamp.changed_ns = absl::ToUnixNanos(absl::TimeFromTimespec(info.st_ctim));
  return stamp;
}

// All zeros for what cannot be read, or is too big to be something that compilers read.
Sha256Digest ContentOf(const std::string& path) {
  const auto content = DiskFileSystem()->ReadFile(path, kMaxBytes);
  return content.ok() ? Sha256Of(*content) : Sha256Digest{};
}

}  // namespace

FileStamp StampOf(const std::string& path) {
  FileStamp stamp = StatOf(path);
  const absl::Time changed = absl::FromUnixNanos(stamp.changed_ns);
  if (stamp.size >= 0 && changed + kTick >= SystemClock()->Now()) stamp.content = ContentOf(path);
  return stamp;
}

bool IsUnchanged(const std::string& path, const FileStamp& stamp) {
  const FileStamp now = StatOf(path);
  if (now.size != stamp.size) return false;
  if (stamp.content.has_value()) return ContentOf(path) == *stamp.content;
  return now.inode == stamp.inode && now.changed_ns == stamp.changed_ns;
}

}  // namespace stile

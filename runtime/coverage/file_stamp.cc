#include "runtime/coverage/file_stamp.h"

#include <sys/stat.h>

#include "runtime/workspace/file_system.h"
#include "runtime/workspace/file_time.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;

FileStamp StatOf(const std::string& path) {
  FileStamp stamp;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return stamp;
  stamp.size = info.st_size;
  stamp.inode = info.st_ino;
  stamp.changed_ns = Nanoseconds(info.st_ctim);
  return stamp;
}

std::optional<Sha256Digest> ContentOf(const std::string& path) {
  const auto content = DiskFileSystem()->ReadFile(path, kMaxBytes);
  return content.ok() ? std::optional<Sha256Digest>(Sha256Of(*content)) : std::nullopt;
}

}  // namespace

FileStamp StampOf(const std::string& path, absl::Time since, bool with_content) {
  FileStamp stamp = StatOf(path);
  stamp.is_young = stamp.size >= 0 && !SafelyBefore(stamp.changed_ns, absl::ToUnixNanos(since));
  if (stamp.is_young || (with_content && stamp.size >= 0)) stamp.content = ContentOf(path);
  return stamp;
}

bool SameFile(const FileStamp& a, const FileStamp& b) {
  if (a.size != b.size) return false;
  if (a.content.has_value() && b.content.has_value()) return *a.content == *b.content;
  return a.inode == b.inode && a.changed_ns == b.changed_ns;
}

bool IsUnchanged(const std::string& path, const FileStamp& stamp) {
  FileStamp now = StatOf(path);
  if (!stamp.is_young && now.size == stamp.size && now.inode == stamp.inode &&
      now.changed_ns == stamp.changed_ns) {
    return true;
  }
  if (now.size == stamp.size && stamp.content.has_value()) now.content = ContentOf(path);
  return SameFile(now, stamp);
}

}  // namespace stile

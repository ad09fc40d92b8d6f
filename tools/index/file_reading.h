#ifndef STILE_TOOLS_INDEX_FILE_READING_H_
#define STILE_TOOLS_INDEX_FILE_READING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace stile {

constexpr size_t kMaxCodeBytes = size_t{16} << 20;  // what is larger was not written by anybody

// What tells that a file is still as it was, see SafelyBefore in runtime/workspace/file_time.h.
struct DiskStamp {
  uint64_t size = 0;
  uint64_t inode = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;

  bool operator==(const DiskStamp&) const = default;
};

// Of a regular file. False when there is none.
bool DiskStampOf(const std::string& path, DiskStamp* stamp);

// The content of a regular file, without waiting for anybody and without following a symlink. False
// when it cannot be had. `stamp` may be null; it is taken before the content.
bool ReadRegularFile(const std::string& path, size_t max_bytes, std::string* text,
                     DiskStamp* stamp = nullptr);

// Calls `work` with 0 … count - 1, each once, on two threads.
void InParallel(size_t count, const std::function<void(size_t)>& work);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_FILE_READING_H_

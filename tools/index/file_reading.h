#ifndef STILE_TOOLS_INDEX_FILE_READING_H_
#define STILE_TOOLS_INDEX_FILE_READING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "runtime/workspace/disk_stamp.h"

namespace stile {

constexpr size_t kMaxCodeBytes = size_t{16} << 20;  // what is larger was not written by anybody

// When the content of a file was looked at.
struct SeenFile {
  DiskStamp stamp;
  int64_t looked_at_ns = 0;  // wall clock, before stamp and content were taken

  // Whether a file with that stamp still has the content that was seen.
  bool IsOf(const DiskStamp& now) const;
};

// A regular file, as a list of the files of a workspace has it.
struct ListedFile {
  // Implicit: most lists are of paths alone.
  ListedFile(std::string file, std::optional<DiskStamp> seen = std::nullopt)
      : path(std::move(file)), stamp(seen) {}

  std::string path;                // relative to the workspace
  std::optional<DiskStamp> stamp;  // nullopt: the list was made without a look at the file
};

// Calls its argument with every file of a workspace, ignored ones left out.
using FileLister = std::function<void(const std::function<void(const ListedFile&)>&)>;

// The stamp from the list, or else from the disk. False when the file is gone.
bool CurrentStamp(const std::string& workspace, const ListedFile& file, DiskStamp* stamp);

// The content of a regular file, without waiting for anybody and without following a symlink. False
// when it cannot be had. `stamp` may be null; it is taken before the content.
bool ReadRegularFile(const std::string& path, size_t max_bytes, std::string* text,
                     DiskStamp* stamp = nullptr);

// Calls `work` with 0 … count - 1, each once, on two threads.
void InParallel(size_t count, const std::function<void(size_t)>& work);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_FILE_READING_H_

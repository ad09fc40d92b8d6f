#ifndef STILE_RUNTIME_WORKSPACE_SNAPSHOT_DATA_H_
#define STILE_RUNTIME_WORKSPACE_SNAPSHOT_DATA_H_

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/workspace/snapshot.h"

namespace stile {

// Finds records by path in constant time. Not changed after construction.
class PathIndex {
 public:
  static constexpr size_t kNone = ~size_t{0};

  explicit PathIndex(const std::vector<FileRecord>& files);
  size_t Find(absl::string_view path) const;

 private:
  static size_t HashOf(absl::string_view path) {
    return std::hash<std::string_view>()({path.data(), path.size()});
  }
  const std::vector<FileRecord>& files_;
  std::vector<uint32_t> slots_;  // open addressing; index + 1, 0 is empty
  size_t mask_;
};

struct Snapshot::Data {
  explicit Data(std::vector<FileRecord> sorted_by_path) : files(std::move(sorted_by_path)) {}

  // Built on first use; thread-safe.
  const PathIndex& Index() {
    std::call_once(index_once, [this] { index = std::make_unique<PathIndex>(files); });
    return *index;
  }

  const std::vector<FileRecord> files;
  std::once_flag root_hash_once;
  std::string root_hash;
  std::once_flag index_once;
  std::unique_ptr<PathIndex> index;
};

inline PathIndex::PathIndex(const std::vector<FileRecord>& files) : files_(files) {
  size_t size = 16;
  while (size < 2 * files.size()) size *= 2;
  slots_.resize(size);
  mask_ = size - 1;
  for (size_t i = 0; i < files.size(); ++i) {
    size_t slot = HashOf(files[i].path) & mask_;
    while (slots_[slot] != 0) slot = (slot + 1) & mask_;
    slots_[slot] = static_cast<uint32_t>(i + 1);
  }
}

inline size_t PathIndex::Find(absl::string_view path) const {
  for (size_t slot = HashOf(path) & mask_; slots_[slot] != 0; slot = (slot + 1) & mask_) {
    const size_t index = slots_[slot] - 1;
    if (files_[index].path == path) return index;
  }
  return kNone;
}

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_SNAPSHOT_DATA_H_

#ifndef STILE_RUNTIME_GATE_FILE_STAMP_H_
#define STILE_RUNTIME_GATE_FILE_STAMP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/sha256.h"

namespace stile {

// A file that no snapshot holds, as it was at one moment: by its stat, which a write cannot leave
// as it was without taking the clock's granularity, and by its content where it was that young.
struct FileStamp {
  int64_t size = -1;  // -1: no file
  uint64_t inode = 0;
  int64_t changed_ns = 0;               // ctime
  std::optional<Sha256Digest> content;  // of a file that may change again within one tick
};

FileStamp StampOf(const std::string& path);

// Whether the file is still what it was. One stat, and a read for those that were young.
bool IsUnchanged(const std::string& path, const FileStamp& stamp);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_FILE_STAMP_H_

#ifndef STILE_RUNTIME_COVERAGE_FILE_STAMP_H_
#define STILE_RUNTIME_COVERAGE_FILE_STAMP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "runtime/base/sha256.h"

namespace stile {

// A file that no snapshot holds, as it was at one moment: by its stat, which a write cannot leave
// as it was without taking the clock's granularity, and by its content where it was that young.
struct FileStamp {
  int64_t size = -1;  // -1: no regular file
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // ctime
  bool is_young = false;   // may have changed since the moment that was asked about
  // Set for young files, and where the caller asks for it. Unset for files that cannot be read or
  // exceed 64 MiB.
  std::optional<Sha256Digest> content;
};

// `since`: a moment that is not in the future.
FileStamp StampOf(const std::string& path, absl::Time since, bool with_content = false);

// Whether two stamps of a path are of the same content.
bool SameFile(const FileStamp& a, const FileStamp& b);

// Whether the file still has this content. One stat; reads the file only if the stat differs or
// cannot be trusted.
bool IsUnchanged(const std::string& path, const FileStamp& stamp);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_FILE_STAMP_H_

#ifndef STILE_VALIDATORS_COMPILER_SCRATCH_COPY_H_
#define STILE_VALIDATORS_COMPILER_SCRATCH_COPY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace stile {

// A copy of a folder for builds that write beside their sources. Kept between validations and
// brought up to date by content: a file is copied when it differs from what was copied before, with
// a fresh mtime; a file that is gone is removed; what the build itself made stays.
struct ScratchCopy {
  std::string source;    // absolute
  std::string target;    // absolute; made when missing
  std::string manifest;  // absolute path of a file for what was copied
  // Names of folders that are left out wherever they lie, besides version control's own.
  std::vector<std::string> skipped_folders;
};

// Outputs of an earlier build that lie in the source (objects, libraries, programs) are copied with
// a very old mtime, so that no build tool takes them for newer than their sources. Symbolic links
// that leave the source become absolute. Sockets, FIFOs and devices are left out. Returns what was
// copied or removed, relative to the source, sorted; `changed` (also relative to it) is copied
// whether it differs or not. Errors are those of the file system, a file that cannot be read among
// them.
absl::StatusOr<std::vector<std::string>> SyncScratchCopy(const ScratchCopy& copy,
                                                         const std::vector<std::string>& changed);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_SCRATCH_COPY_H_

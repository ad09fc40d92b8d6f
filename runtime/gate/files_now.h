// The regular files of a snapshot, read from the disk.
#ifndef STILE_RUNTIME_GATE_FILES_NOW_H_
#define STILE_RUNTIME_GATE_FILES_NOW_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/weakening.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// Owns neither the snapshot nor the file system.
class FilesNow : public WorkspaceFiles {
 public:
  FilesNow(const Snapshot& snapshot, FileSystem* file_system, std::string workspace);
  std::vector<std::string> Paths() const override;
  absl::StatusOr<std::string> Read(const std::string& path) const override;

 private:
  const Snapshot& snapshot_;
  FileSystem* const file_system_;
  const std::string workspace_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_FILES_NOW_H_

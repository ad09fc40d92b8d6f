#ifndef STILE_RUNTIME_WORKSPACE_FILE_SYSTEM_H_
#define STILE_RUNTIME_WORKSPACE_FILE_SYSTEM_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// The changing operations on files that must survive a crash, behind one small class so that a test
// can make any one of them fail. Thread-safe. Paths are absolute. Errors carry the path.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // NotFound, FailedPrecondition (not a regular file), ResourceExhausted (larger than max_bytes).
  // Sockets, FIFOs and devices are never opened.
  virtual absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) = 0;
  // Creates or truncates, writes everything; fsync when `sync`.
  virtual absl::Status WriteFile(const std::string& path, absl::string_view bytes, int mode,
                                 bool sync) = 0;
  virtual absl::Status AppendFile(const std::string& path, absl::string_view bytes, bool sync) = 0;
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  virtual absl::Status RemoveFile(const std::string& path) = 0;
  virtual absl::Status MakeDirs(const std::string& path) = 0;
  virtual absl::Status RemoveDir(const std::string& path) = 0;  // must be empty
  virtual absl::Status SyncDir(const std::string& path) = 0;
};

FileSystem* DiskFileSystem();  // lives as long as the process

constexpr size_t kMaxFileBytes = size_t{256} << 20;

// Writes beside, fsyncs, renames over: a reader sees the old content or the new, never a part.
absl::Status WriteFileAtomically(FileSystem* fs, const std::string& path, absl::string_view bytes,
                                 int mode = 0644);

// Names in a folder, sorted, without "." and "..".
absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path);
struct DirectoryEntry {
  std::string name;
  bool is_folder = false;  // false for a symlink to one
};
// As ListDirectory, with the kind of each.
absl::StatusOr<std::vector<DirectoryEntry>> ListEntries(const std::string& path);
bool FileExists(const std::string& path);  // any kind, symlinks not followed
bool DirectoryExists(const std::string& path);
// Deletes a whole tree (symlinks are removed, not followed). A missing tree is fine.
absl::Status RemoveTree(const std::string& path);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_FILE_SYSTEM_H_

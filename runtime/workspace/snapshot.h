// What a workspace held at one moment, by content. The gate compares snapshots; it never trusts
// mtimes alone, and never prompt text.
#ifndef STILE_RUNTIME_WORKSPACE_SNAPSHOT_H_
#define STILE_RUNTIME_WORKSPACE_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/clock.h"
#include "runtime/base/sha256.h"
#include "runtime/workspace/ignore_rules.h"

namespace stile {

struct FileRecord {
  std::string path;  // relative to the workspace, raw bytes, '/' separators
  enum class Kind : uint8_t { kRegular, kSymlink, kSpecial } kind = Kind::kRegular;
  uint32_t mode = 0;  // st_mode
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;
  uint64_t inode = 0;
  // Of the content; of the link's text for symlinks; of nothing for sockets, FIFOs and devices.
  Sha256Digest hash{};

  // The mode as git records it: 0100644, 0100755, 0120000; the bare file type for sockets, FIFOs
  // and devices.
  uint32_t ContentMode() const;
  // Whether both stand for the same content, as the root hash sees it: kind, owner's executable bit
  // of a regular file, and hash.
  bool SameContent(const FileRecord& other) const;
};

struct FileChange {
  enum class Kind { kAdded, kModified, kDeleted };
  Kind kind;
  std::string path;
};

// Immutable once taken. Copying is cheap (shared records).
class Snapshot {
 public:
  Snapshot() = default;
  explicit Snapshot(std::vector<FileRecord> sorted_by_path, int64_t taken_at_ns = 0);

  const std::vector<FileRecord>& files() const;
  const FileRecord* Find(absl::string_view path) const;  // null if absent
  bool Contains(absl::string_view path) const { return Find(path) != nullptr; }
  int64_t taken_at_ns() const { return taken_at_ns_; }  // wall clock, when the walk began

  // SHA-256 over the records in path order, each as "mode SP sha256 SP path NUL", mode in octal as
  // git has it (100644, 100755, 120000), or the bare file type for sockets, FIFOs and devices.
  // Computed on first use; thread-safe.
  std::string RootHash() const;

 private:
  friend class SnapshotTaker;
  friend std::vector<FileChange> DiffSnapshots(const Snapshot& before, const Snapshot& after);
  struct Data;
  std::shared_ptr<Data> data_;
  int64_t taken_at_ns_ = 0;
};

// Differences of content from `before` to `after`, sorted by path.
std::vector<FileChange> DiffSnapshots(const Snapshot& before, const Snapshot& after);

// Takes snapshots of one workspace. Not thread-safe; uses two threads inside while it walks.
class SnapshotTaker {
 public:
  // `root` absolute without symlinks. The rules stay as they are for the life of this object.
  SnapshotTaker(std::string root, IgnoreRules rules, Clock* clock);
  ~SnapshotTaker();

  // Walks the workspace. A file whose stat equals that in `previous` keeps its hash, unless its
  // mtime or ctime is not safely older than `previous` was ("racily clean", as git calls it): then
  // it is read again. A file that vanishes during the walk is left out; one that cannot be read is
  // an error that names it. Nested ".git" folders and files are not entered.
  absl::StatusOr<Snapshot> Take(const Snapshot& previous);

  const std::string& root() const { return root_; }
  const IgnoreRules& rules() const { return rules_; }

 private:
  std::string root_;
  IgnoreRules rules_;
  Clock* clock_;
  Snapshot last_;  // what it holds has passed the rules
};

// Lossless text form for the run state (JSON lines), so that a later process can go on from it.
std::string SerializeSnapshot(const Snapshot& snapshot);
absl::StatusOr<Snapshot> ParseSnapshot(absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_SNAPSHOT_H_

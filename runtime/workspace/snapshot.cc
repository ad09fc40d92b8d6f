#include "runtime/workspace/snapshot.h"

#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/workspace/snapshot_data.h"

namespace stile {
namespace {

const std::vector<FileRecord>& NoFiles() {
  static const auto* const none = new std::vector<FileRecord>;
  return *none;
}

}  // namespace

uint32_t FileRecord::ContentMode() const {
  switch (kind) {
    case FileRecord::Kind::kRegular:
      return (mode & S_IXUSR) != 0 ? 0100755 : 0100644;
    case FileRecord::Kind::kSymlink:
      return 0120000;
    case FileRecord::Kind::kSpecial:
      return mode & S_IFMT;
  }
  return 0;
}

bool FileRecord::SameContent(const FileRecord& other) const {
  return kind == other.kind && hash == other.hash && ContentMode() == other.ContentMode();
}

Snapshot::Snapshot(std::vector<FileRecord> sorted_by_path, int64_t taken_at_ns)
    : data_(std::make_shared<Data>(std::move(sorted_by_path))), taken_at_ns_(taken_at_ns) {}

const std::vector<FileRecord>& Snapshot::files() const {
  return data_ == nullptr ? NoFiles() : data_->files;
}

const FileRecord* Snapshot::Find(absl::string_view path) const {
  const std::vector<FileRecord>& records = files();
  const auto found = std::lower_bound(
      records.begin(), records.end(), path,
      [](const FileRecord& record, absl::string_view wanted) { return record.path < wanted; });
  return found != records.end() && found->path == path ? &*found : nullptr;
}

std::string Snapshot::RootHash() const {
  if (data_ == nullptr) return Sha256Hex("");
  std::call_once(data_->root_hash_once, [this] {
    Sha256 hash;
    std::string record_text;
    for (const FileRecord& record : data_->files) {
      record_text = absl::StrFormat("%06o %s ", record.ContentMode(), ToHex(record.hash));
      absl::StrAppend(&record_text, record.path, absl::string_view("\0", 1));
      hash.Update(record_text);
    }
    data_->root_hash = ToHex(hash.Finish());
  });
  return data_->root_hash;
}

std::vector<FileChange> DiffSnapshots(const Snapshot& before, const Snapshot& after) {
  std::vector<FileChange> changes;
  if (before.data_ == after.data_) return changes;
  auto old_file = before.files().begin();
  auto new_file = after.files().begin();
  const auto old_end = before.files().end();
  const auto new_end = after.files().end();
  while (old_file != old_end || new_file != new_end) {
    const int order = old_file == old_end   ? 1
                      : new_file == new_end ? -1
                                            : old_file->path.compare(new_file->path);
    if (order < 0) {
      changes.push_back({FileChange::Kind::kDeleted, (old_file++)->path});
    } else if (order > 0) {
      changes.push_back({FileChange::Kind::kAdded, (new_file++)->path});
    } else {
      if (!old_file->SameContent(*new_file)) {
        changes.push_back({FileChange::Kind::kModified, new_file->path});
      }
      ++old_file;
      ++new_file;
    }
  }
  return changes;
}

}  // namespace stile

#ifndef STILE_RUNTIME_WORKSPACE_BLOB_STORE_H_
#define STILE_RUNTIME_WORKSPACE_BLOB_STORE_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/base/sha256.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Contents by their SHA-256 in a folder, each written once: baseline contents for undo and baseline
// validation. Thread-safe, also between processes.
class BlobStore {
 public:
  BlobStore(FileSystem* fs, std::string folder);
  // Whole or not at all, but not synced: there are many at the start of a run. After a power
  // failure a blob can be damaged, which Get notices and the next Put repairs.
  absl::StatusOr<Sha256Digest> Put(absl::string_view bytes);
  // NotFound; DataLoss when the stored bytes no longer have that hash.
  absl::StatusOr<std::string> Get(const Sha256Digest& hash) const;
  bool Has(const Sha256Digest& hash) const;

 private:
  std::string PathOf(const Sha256Digest& hash) const;
  FileSystem* fs_;
  std::string folder_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_BLOB_STORE_H_

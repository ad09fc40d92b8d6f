#include "runtime/workspace/blob_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

BlobStore::BlobStore(FileSystem* fs, std::string folder) : fs_(fs), folder_(std::move(folder)) {}

std::string BlobStore::PathOf(const Sha256Digest& hash) const {
  const std::string hex = ToHex(hash);
  return absl::StrCat(folder_, "/", hex.substr(0, 2), "/", hex.substr(2));
}

absl::StatusOr<Sha256Digest> BlobStore::Put(absl::string_view bytes) {
  const Sha256Digest hash = Sha256Of(bytes);
  if (Get(hash).ok()) return hash;  // a damaged one is replaced
  const std::string path = PathOf(hash);
  STILE_RETURN_IF_ERROR(fs_->MakeDirs(DirName(path)));
  const std::string temporary = absl::StrCat(path, ".", RandomHex(8), ".tmp");
  absl::Status status = fs_->WriteFile(temporary, bytes, 0600, /*sync=*/false);
  if (status.ok()) status = fs_->Rename(temporary, path);
  if (!status.ok()) {
    fs_->RemoveFile(temporary).IgnoreError();
    return status;
  }
  return hash;
}

absl::StatusOr<std::string> BlobStore::Get(const Sha256Digest& hash) const {
  STILE_ASSIGN_OR_RETURN(std::string bytes, fs_->ReadFile(PathOf(hash), kMaxFileBytes));
  if (Sha256Of(bytes) != hash) {
    return absl::DataLossError(absl::StrCat("the stored content ", ToHex(hash), " is damaged"));
  }
  return bytes;
}

bool BlobStore::Has(const Sha256Digest& hash) const { return FileExists(PathOf(hash)); }

}  // namespace stile

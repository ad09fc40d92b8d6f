#include "runtime/certificate/signing_key.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxKeyBytes = size_t{64} << 10;

absl::Status Unusable(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("certificate.key: ", path, ": ", why));
}

// Never over something that is there, also not when it appears at this moment.
absl::Status WriteNewFile(const std::string& path, absl::string_view text, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) {
    return absl::FailedPreconditionError(
        errno == EEXIST ? absl::StrCat(path, " is there already; a key is never overwritten")
                        : absl::StrCat("cannot write ", path, ": ", strerror(errno)));
  }
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  const int error = errno;
  close(fd);
  if (written) return absl::OkStatus();
  unlink(path.c_str());
  return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": ", strerror(error)));
}

}  // namespace

absl::StatusOr<std::optional<Ed25519PrivateKey>> LoadSigningKey(const std::string& path,
                                                                const std::string& workspace,
                                                                const Environment& environment) {
  if (path.empty()) return std::nullopt;
  std::string file = path;
  if (absl::string_view below = path; absl::ConsumePrefix(&below, "~/")) {
    const auto home = environment.find("HOME");
    if (home == environment.end() || home->second.empty()) {
      return Unusable(path, "HOME is not set");
    }
    file = JoinPath(home->second, below);
  }
  const auto real = RealPath(file);
  if (!real.ok())
    return Unusable(path, "there is no such file; stile certificate keygen makes one");
  if (IsWithin(*real, workspace)) {
    return Unusable(path, "lies in the workspace, where agents can read and replace it");
  }
  struct stat info {};
  if (stat(real->c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Unusable(path, "not a file");
  }
  if ((info.st_mode & 077) != 0) {
    return Unusable(path, "others than its owner have rights to it; chmod 600 takes them away");
  }
  const auto pem = DiskFileSystem()->ReadFile(*real, kMaxKeyBytes);
  if (!pem.ok()) return Unusable(path, pem.status().message());
  auto key = Ed25519PrivateKey::FromPem(*pem);
  if (!key.ok()) return Unusable(path, key.status().message());
  return *std::move(key);
}

absl::StatusOr<KeyFiles> GenerateKeyFiles(const std::string& given_folder) {
  std::error_code error;
  const std::string folder = std::filesystem::absolute(given_folder, error).lexically_normal();
  KeyFiles files;
  files.private_key = JoinPath(folder, "certificate-key.pem");
  files.public_key = JoinPath(folder, "certificate-key.pub.pem");
  for (const std::string& file : {files.private_key, files.public_key}) {
    if (FileExists(file)) {
      return absl::FailedPreconditionError(
          absl::StrCat(file, " is there already; a key is never overwritten"));
    }
  }
  STILE_ASSIGN_OR_RETURN(const Ed25519PrivateKey key, Ed25519PrivateKey::Generate());
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));
  STILE_RETURN_IF_ERROR(WriteNewFile(files.private_key, key.ToPem(), 0600));
  const absl::Status status = WriteNewFile(files.public_key, key.PublicKey().ToPem(), 0644);
  if (!status.ok()) {
    unlink(files.private_key.c_str());  // one half alone is of no use
    return status;
  }
  files.key_id = key.PublicKey().Id();
  return files;
}

}  // namespace stile

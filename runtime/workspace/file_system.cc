#include "runtime/workspace/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }
  // close() can report a write that failed late (network file systems).
  int Close() {
    const int fd = fd_;
    fd_ = -1;
    return close(fd);
  }

 private:
  int fd_;
};

absl::Status Failure(absl::string_view action, const std::string& path) {
  const int error = errno;
  return ErrnoStatus(error, action, ToUtf8(path));
}

absl::Status CheckRegular(const struct stat& info, const std::string& path) {
  if (S_ISREG(info.st_mode)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      ToUtf8(path), S_ISDIR(info.st_mode) ? " is a folder" : " is not a regular file"));
}

absl::Status WriteAll(File* file, absl::string_view bytes, bool sync, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file->fd(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failure("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (sync && fsync(file->fd()) != 0) return Failure("sync", path);
  return file->Close() == 0 ? absl::OkStatus() : Failure("write", path);
}

// The open flags never wait for the other side of a FIFO or a terminal that took a file's place
// between the check and the opening.
constexpr int kSafeOpen = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

class Disk : public FileSystem {
 public:
  absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) override {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return Failure("read", path);
    STILE_RETURN_IF_ERROR(CheckRegular(info, path));
    File file(open(path.c_str(), O_RDONLY | kSafeOpen));
    if (file.fd() < 0 || fstat(file.fd(), &info) != 0) return Failure("read", path);
    STILE_RETURN_IF_ERROR(CheckRegular(info, path));
    std::string bytes;
    size_t size = 0;
    while (true) {
      // One byte more than the file has: the read that finds the end needs no further round.
      const size_t wanted = std::max<size_t>(static_cast<size_t>(info.st_size) + 1, size + 4096);
      bytes.resize(wanted > max_bytes ? max_bytes + 1 : wanted);
      const ssize_t got = read(file.fd(), bytes.data() + size, bytes.size() - size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Failure("read", path);
      if (got == 0) break;
      size += static_cast<size_t>(got);
      if (size > max_bytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat(ToUtf8(path), " is larger than ", max_bytes, " bytes"));
      }
    }
    bytes.resize(size);
    return bytes;
  }

  absl::Status WriteFile(const std::string& path, absl::string_view bytes, int mode,
                         bool sync) override {
    const int created =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | kSafeOpen, static_cast<mode_t>(mode));
    if (created >= 0) {
      File file(created);
      if (fchmod(created, static_cast<mode_t>(mode)) != 0) return Failure("set mode of", path);
      return WriteAll(&file, bytes, sync, path);
    }
    if (errno != EEXIST) return Failure("write", path);
    return WriteExisting(path, O_TRUNC, bytes, sync);
  }

  absl::Status AppendFile(const std::string& path, absl::string_view bytes, bool sync) override {
    return WriteExisting(path, O_APPEND | O_CREAT, bytes, sync);
  }

  absl::Status Rename(const std::string& from, const std::string& to) override {
    return rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus() : Failure("rename to", to);
  }

  absl::Status RemoveFile(const std::string& path) override {
    return unlink(path.c_str()) == 0 ? absl::OkStatus() : Failure("remove", path);
  }

  absl::Status MakeDirs(const std::string& path) override {
    if (mkdir(path.c_str(), 0777) == 0) return absl::OkStatus();
    if (errno == ENOENT) {
      const std::string parent = DirName(path);
      if (parent == path || parent == ".") return Failure("make folder", path);
      STILE_RETURN_IF_ERROR(MakeDirs(parent));
      if (mkdir(path.c_str(), 0777) == 0) return absl::OkStatus();
    }
    if (errno == EEXIST && DirectoryExists(path)) return absl::OkStatus();
    return Failure("make folder", path);
  }

  absl::Status RemoveDir(const std::string& path) override {
    return rmdir(path.c_str()) == 0 ? absl::OkStatus() : Failure("remove folder", path);
  }

  absl::Status SyncDir(const std::string& path) override {
    File folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.fd() < 0 || fsync(folder.fd()) != 0) return Failure("sync folder", path);
    return absl::OkStatus();
  }

 private:
  static absl::Status WriteExisting(const std::string& path, int flags, absl::string_view bytes,
                                    bool sync) {
    struct stat info {};
    if (stat(path.c_str(), &info) == 0) STILE_RETURN_IF_ERROR(CheckRegular(info, path));
    File file(open(path.c_str(), O_WRONLY | flags | kSafeOpen, 0644));
    if (file.fd() < 0 || fstat(file.fd(), &info) != 0) return Failure("write", path);
    STILE_RETURN_IF_ERROR(CheckRegular(info, path));
    return WriteAll(&file, bytes, sync, path);
  }
};

// Gives back what is needed to empty folders that were made read-only (Go's module cache is).
void MakeWritable(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                               std::filesystem::perm_options::add, error);
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_symlink(ignored) && it->is_directory(ignored)) MakeWritable(it->path());
  }
}

}  // namespace

FileSystem* DiskFileSystem() {
  static Disk* const disk = new Disk;
  return disk;
}

absl::Status WriteFileAtomically(FileSystem* fs, const std::string& path, absl::string_view bytes,
                                 int mode) {
  const std::string folder = DirName(path);
  const std::string beside = JoinPath(folder, absl::StrCat(".stile-", RandomHex(8), ".tmp"));
  absl::Status status = fs->WriteFile(beside, bytes, mode, /*sync=*/true);
  if (status.ok()) status = fs->Rename(beside, path);
  if (status.ok()) return fs->SyncDir(folder);
  fs->RemoveFile(beside).IgnoreError();
  return status;
}

absl::StatusOr<std::vector<DirectoryEntry>> ListEntries(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr) return Failure("list", path);
  std::vector<DirectoryEntry> entries;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) break;
    const absl::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN) {
      struct stat info {};
      is_folder = fstatat(dirfd(folder.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                  S_ISDIR(info.st_mode);
    }
    entries.push_back({std::string(name), is_folder});
  }
  if (errno != 0) return Failure("list", path);
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return entries;
}

absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path) {
  STILE_ASSIGN_OR_RETURN(std::vector<DirectoryEntry> entries, ListEntries(path));
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (DirectoryEntry& entry : entries) names.push_back(std::move(entry.name));
  return names;
}

bool FileExists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

bool DirectoryExists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

absl::Status RemoveTree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (!error) return absl::OkStatus();
  if (DirectoryExists(path) && !std::filesystem::is_symlink(path, error)) MakeWritable(path);
  std::filesystem::remove_all(path, error);
  return error ? ErrnoStatus(error.value(), "remove", ToUtf8(path)) : absl::OkStatus();
}

}  // namespace stile

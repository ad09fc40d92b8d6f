#include "validators/compiler/scratch_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/json.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/process/unique_fd.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// What was copied, by path: the source's stat, which cannot be put back (ctime), and a hash for the
// time in which a stat cannot be trusted.
struct Entry {
  std::string stamp;
  std::string sha256;
  int64_t ctime_s = 0;
};

using Manifest = std::map<std::string, Entry>;

constexpr int64_t kRacySeconds = 2;
constexpr size_t kBlockBytes = size_t{256} << 10;
constexpr size_t kStartBytes = 16;

std::string Stamp(const struct stat& info) {
  return absl::StrCat(info.st_size, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, " ",
                      info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec, " ", info.st_ino, " ",
                      info.st_mode);
}

struct Known {
  Manifest entries;
  int64_t taken_s = 0;
};

// A manifest that cannot be read is an empty one: everything is copied again.
Known ReadManifest(const std::string& path) {
  Known known;
  const auto text = DiskFileSystem()->ReadFile(path, kMaxFileBytes);
  if (!text.ok()) return known;
  const absl::StatusOr<Json> json = ParseJson(*text);
  const Json* files = json.ok() ? JsonMember(*json, "files") : nullptr;
  if (files == nullptr || !files->is_object()) return known;
  known.taken_s = JsonInt(*json, "taken").value_or(0);
  for (const auto& [name, value] : files->items()) {
    Entry entry;
    entry.stamp = JsonString(value, "stamp").value_or("");
    entry.sha256 = JsonString(value, "sha256").value_or("");
    entry.ctime_s = JsonInt(value, "ctime").value_or(0);
    known.entries[name] = std::move(entry);
  }
  return known;
}

absl::Status WriteManifest(const std::string& path, const Manifest& entries, int64_t taken_s) {
  Json files = Json::object();
  for (const auto& [name, entry] : entries) {
    files[name] = {{"stamp", entry.stamp}, {"sha256", entry.sha256}, {"ctime", entry.ctime_s}};
  }
  return DiskFileSystem()->WriteFile(path, DumpJson({{"taken", taken_s}, {"files", files}}), 0644,
                                     false);
}

// By the name and the first bytes.
bool IsBuildOutput(absl::string_view name, absl::string_view start) {
  for (absl::string_view magic : {"\177ELF", "!<arch>"}) {
    if (absl::StartsWith(start, magic)) return true;
  }
  for (absl::string_view extension :
       {".o", ".lo", ".obj", ".a", ".la", ".so", ".d", ".gch", ".pch", ".class", ".stamp"}) {
    if (absl::EndsWith(name, extension)) return true;
  }
  return false;
}

absl::Status Failure(absl::string_view action, const std::string& path) {
  const int error = errno;
  return ErrnoStatus(error, action, ToUtf8(path));
}

struct Content {
  std::string sha256;
  std::string start;  // the first bytes
};

// Hashes the file block by block, and writes it to `target` on the way unless that is -1: a file
// can be larger than what fits into memory. NotFound when it is gone.
absl::StatusOr<Content> ReadThrough(const std::string& path, int target) {
  constexpr int kSafeOpen = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
  const UniqueFd source(open(path.c_str(), kSafeOpen));
  struct stat info {};
  if (source.get() < 0 || fstat(source.get(), &info) != 0) {
    return Failure("read", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::NotFoundError(absl::StrCat(ToUtf8(path), " is no regular file any more"));
  }
  Content content;
  Sha256 hash;
  std::string block(kBlockBytes, '\0');
  while (true) {
    const ssize_t got = read(source.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure("read", path);
    if (got == 0) break;
    absl::string_view rest(block.data(), static_cast<size_t>(got));
    if (content.start.empty()) content.start = std::string(rest.substr(0, kStartBytes));
    hash.Update(rest);
    while (target >= 0 && !rest.empty()) {
      const ssize_t written = write(target, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return Failure("write a copy of", path);
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }
  content.sha256 = ToHex(hash.Finish());
  return content;
}

class Syncer {
 public:
  Syncer(const ScratchCopy& copy, const std::vector<std::string>& changed)
      : copy_(copy),
        changed_(changed.begin(), changed.end()),
        known_(ReadManifest(copy.manifest)) {}

  absl::StatusOr<std::vector<std::string>> Run() {
    const int64_t start_s = time(nullptr);
    STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(copy_.target));
    STILE_RETURN_IF_ERROR(Walk(""));
    for (const auto& [name, entry] : known_.entries) {
      if (now_.count(name) > 0) continue;
      STILE_RETURN_IF_ERROR(RemoveTree(JoinPath(copy_.target, name)));
      touched_.push_back(name);
    }
    STILE_RETURN_IF_ERROR(WriteManifest(copy_.manifest, now_, start_s));
    std::sort(touched_.begin(), touched_.end());
    return std::move(touched_);
  }

 private:
  absl::Status Walk(const std::string& folder) {
    STILE_ASSIGN_OR_RETURN(
        const std::vector<std::string> names,
        ListDirectory(folder.empty() ? copy_.source : JoinPath(copy_.source, folder)));
    for (const std::string& name : names) {
      const std::string path = JoinPath(folder, name);
      struct stat info {};
      if (lstat(JoinPath(copy_.source, path).c_str(), &info) != 0) continue;  // just gone
      if (S_ISDIR(info.st_mode)) {
        const bool skipped = name == ".git" || name == ".hg" || name == ".svn" ||
                             std::find(copy_.skipped_folders.begin(), copy_.skipped_folders.end(),
                                       name) != copy_.skipped_folders.end();
        if (skipped) continue;
        STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(JoinPath(copy_.target, path)));
        STILE_RETURN_IF_ERROR(Walk(path));
      } else if (S_ISLNK(info.st_mode)) {
        STILE_RETURN_IF_ERROR(CopyLink(path));
      } else if (S_ISREG(info.st_mode)) {
        STILE_RETURN_IF_ERROR(CopyFile(path, info));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CopyLink(const std::string& path) {
    std::error_code error;
    const std::string from = JoinPath(copy_.source, path);
    std::string to = std::filesystem::read_symlink(from, error).string();
    if (error) return absl::OkStatus();  // just gone
    if (!absl::StartsWith(to, "/")) {
      const std::string absolute = CleanPath(JoinPath(DirName(from), to));
      const bool inside = absl::StartsWith(absolute, absl::StrCat(copy_.source, "/"));
      if (!inside) to = absolute;
    }
    now_[path].stamp = absl::StrCat("link ", to);
    const auto before = known_.entries.find(path);
    const std::string target = JoinPath(copy_.target, path);
    if (before != known_.entries.end() && before->second.stamp == now_[path].stamp &&
        FileExists(target)) {
      return absl::OkStatus();
    }
    touched_.push_back(path);
    STILE_RETURN_IF_ERROR(RemoveTree(target));
    std::filesystem::create_symlink(to, target, error);
    return error ? ErrnoStatus(error.value(), "link", target) : absl::OkStatus();
  }

  absl::Status CopyFile(const std::string& path, const struct stat& info) {
    const std::string target = JoinPath(copy_.target, path);
    const std::string stamp = Stamp(info);
    const auto before = known_.entries.find(path);
    const bool was_copied = before != known_.entries.end() && FileExists(target);
    const bool trusted = before != known_.entries.end() &&
                         before->second.ctime_s + kRacySeconds < known_.taken_s &&
                         changed_.count(path) == 0;
    if (was_copied && trusted && before->second.stamp == stamp) {
      now_[path] = before->second;
      return absl::OkStatus();
    }
    const std::string source = JoinPath(copy_.source, path);
    if (was_copied && changed_.count(path) == 0) {
      const absl::StatusOr<Content> content = ReadThrough(source, -1);
      if (absl::IsNotFound(content.status())) return absl::OkStatus();  // just gone
      STILE_RETURN_IF_ERROR(content.status());
      if (content->sha256 == before->second.sha256) {
        now_[path] = {stamp, content->sha256, info.st_ctim.tv_sec};
        return absl::OkStatus();
      }
    }
    STILE_RETURN_IF_ERROR(RemoveTree(target));
    const mode_t mode = (info.st_mode & 0777) | 0600;
    UniqueFd file(open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.get() < 0 || fchmod(file.get(), mode) != 0) {
      return Failure("write", target);
    }
    const absl::StatusOr<Content> content = ReadThrough(source, file.get());
    file.Reset();
    if (absl::IsNotFound(content.status())) return RemoveTree(target);  // just gone
    STILE_RETURN_IF_ERROR(content.status());
    touched_.push_back(path);
    now_[path] = {stamp, content->sha256, info.st_ctim.tv_sec};
    // The first copy keeps the order in which the files were written, a later one is newer than
    // what was built.
    const bool is_output = IsBuildOutput(path, content->start);
    if (!is_output && was_copied) return absl::OkStatus();
    const timespec mtime = is_output ? timespec{1, 0} : info.st_mtim;
    const timespec times[2] = {mtime, mtime};
    if (utimensat(AT_FDCWD, target.c_str(), times, 0) != 0) {
      return Failure("set the time of", target);
    }
    return absl::OkStatus();
  }

  const ScratchCopy& copy_;
  std::set<std::string> changed_;
  Known known_;
  Manifest now_;
  std::vector<std::string> touched_;  // copied or removed
};

}  // namespace

absl::StatusOr<std::vector<std::string>> SyncScratchCopy(const ScratchCopy& copy,
                                                         const std::vector<std::string>& changed) {
  return Syncer(copy, changed).Run();
}

}  // namespace stile

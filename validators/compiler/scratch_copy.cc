#include "validators/compiler/scratch_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

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

bool IsBuildOutput(absl::string_view name, absl::string_view bytes) {
  if (absl::StartsWith(bytes,
                       "\x7f"
                       "ELF") ||
      absl::StartsWith(bytes, "!<arch>"))
    return true;
  for (absl::string_view extension :
       {".o", ".lo", ".obj", ".a", ".la", ".so", ".d", ".gch", ".pch", ".class", ".stamp"}) {
    if (absl::EndsWith(name, extension)) return true;
  }
  return false;
}

class Syncer {
 public:
  Syncer(const ScratchCopy& copy, const std::vector<std::string>& changed)
      : copy_(copy),
        changed_(changed.begin(), changed.end()),
        known_(ReadManifest(copy.manifest)) {}

  absl::Status Run() {
    const int64_t start_s = time(nullptr);
    STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(copy_.target));
    STILE_RETURN_IF_ERROR(Walk(""));
    for (const auto& [name, entry] : known_.entries) {
      if (now_.count(name) == 0) STILE_RETURN_IF_ERROR(RemoveTree(JoinPath(copy_.target, name)));
    }
    return WriteManifest(copy_.manifest, now_, start_s);
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
    const auto bytes = DiskFileSystem()->ReadFile(JoinPath(copy_.source, path), kMaxFileBytes);
    if (absl::IsNotFound(bytes.status())) return absl::OkStatus();  // just gone
    STILE_RETURN_IF_ERROR(bytes.status());
    Entry entry{stamp, Sha256Hex(*bytes), info.st_ctim.tv_sec};
    const bool same = was_copied && before->second.sha256 == entry.sha256;
    now_[path] = std::move(entry);
    if (same && changed_.count(path) == 0) return absl::OkStatus();
    STILE_RETURN_IF_ERROR(RemoveTree(target));
    STILE_RETURN_IF_ERROR(
        DiskFileSystem()->WriteFile(target, *bytes, (info.st_mode & 0777) | 0600, false));
    // The first copy keeps the order in which the files were written, a later one is newer than
    // what was built.
    const bool is_output = IsBuildOutput(path, *bytes);
    if (!is_output && was_copied) return absl::OkStatus();
    const timespec mtime = is_output ? timespec{1, 0} : info.st_mtim;
    const timespec times[2] = {mtime, mtime};
    if (utimensat(AT_FDCWD, target.c_str(), times, 0) != 0) {
      return ErrnoStatus(errno, "set the time of", target);
    }
    return absl::OkStatus();
  }

  const ScratchCopy& copy_;
  std::set<std::string> changed_;
  Known known_;
  Manifest now_;
};

}  // namespace

absl::Status SyncScratchCopy(const ScratchCopy& copy, const std::vector<std::string>& changed) {
  return Syncer(copy, changed).Run();
}

}  // namespace stile

// NoLongerHeld and UndoChanges. Regular files go through EditTransaction; symlinks, folders that
// stand in the way and executable bits do not fit it and are done here, each with its way back.
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr uint32_t kExecutableBits = 0111;

struct Present {
  enum Kind { kAbsent, kRegular, kSymlink, kFolder, kSpecial } kind = kAbsent;
  uint32_t mode = 0;
  std::string content;  // of the file, or the text of the link
};

absl::StatusOr<Present> Look(FileSystem* fs, const std::string& path) {
  Present present;
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return present;
    return ErrnoStatus(errno, "look up", ToUtf8(path));
  }
  present.mode = info.st_mode;
  if (S_ISREG(info.st_mode)) {
    present.kind = Present::kRegular;
    STILE_ASSIGN_OR_RETURN(present.content, fs->ReadFile(path, kMaxFileBytes));
  } else if (S_ISLNK(info.st_mode)) {
    present.kind = Present::kSymlink;
    STILE_ASSIGN_OR_RETURN(present.content, ReadLink(path));
  } else {
    present.kind = S_ISDIR(info.st_mode) ? Present::kFolder : Present::kSpecial;
  }
  return present;
}

bool Holds(const Present& present, const std::optional<Sha256Digest>& hash, uint32_t mode) {
  switch (present.kind) {
    case Present::kAbsent:
    case Present::kFolder:  // a folder is no file: what was here as a file is gone
      return !hash.has_value();
    case Present::kRegular:
      return hash.has_value() && !S_ISLNK(mode) && ((present.mode ^ mode) & kExecutableBits) == 0 &&
             Sha256Of(present.content) == *hash;
    case Present::kSymlink:
      return hash.has_value() && S_ISLNK(mode) && Sha256Of(present.content) == *hash;
    case Present::kSpecial:
      return false;
  }
  return false;
}

// One path to put back.
struct Restore {
  std::string path;      // relative
  std::string absolute;  // its folder has no symlinks
  Present now;
  std::optional<std::string> content;  // nullopt: it did not exist
  uint32_t mode = 0;

  bool to_regular() const { return content.has_value() && !S_ISLNK(mode); }
  bool to_symlink() const { return content.has_value() && S_ISLNK(mode); }
};

// The absolute path if the run's `path` still means the same place: no folder above it became a
// link.
std::optional<std::string> Locate(const std::string& root, const std::string& path) {
  if (path.empty() || path[0] == '/' || CleanPath(path) != path || path == "." ||
      absl::EqualsIgnoreCase(BaseName(path), ".git")) {
    return std::nullopt;
  }
  const std::string folder = DirName(path);
  const absl::StatusOr<WorkspacePath> resolved = ResolveInWorkspace(root, folder);
  if (!resolved.ok() || resolved->relative != folder) return std::nullopt;
  return absl::StrCat(resolved->absolute, "/", BaseName(path));
}

// The folders at and below `folder`, deepest first; nullopt when one of them holds anything but
// folders and `leaving` files.
std::optional<std::vector<std::string>> EmptyFolders(const std::string& folder,
                                                     const std::set<std::string>& leaving) {
  std::vector<std::string> folders;
  const absl::StatusOr<std::vector<std::string>> names = ListDirectory(folder);
  if (!names.ok()) return std::nullopt;
  for (const std::string& name : *names) {
    const std::string path = absl::StrCat(folder, "/", name);
    if (leaving.count(path) != 0) continue;
    if (!DirectoryExists(path)) return std::nullopt;
    auto below = EmptyFolders(path, leaving);
    if (!below.has_value()) return std::nullopt;
    folders.insert(folders.end(), below->begin(), below->end());
  }
  folders.push_back(folder);
  return folders;
}

// Carries the restores out. What was done is taken back at destruction unless all of it succeeded.
class Undo {
 public:
  Undo(FileSystem* fs, const std::string& root, const std::string& edits_dir)
      : fs_(fs), deletions_(fs, root, edits_dir), writes_(fs, root, edits_dir) {}
  ~Undo() {
    for (auto step = way_back_.rbegin(); step != way_back_.rend(); ++step) (*step)();
  }

  absl::Status Run(const std::vector<Restore>& restores, const std::vector<std::string>& folders) {
    STILE_RETURN_IF_ERROR(DeleteFiles(restores));
    for (const Restore& restore : restores) {
      if (restore.now.kind == Present::kSymlink) STILE_RETURN_IF_ERROR(RemoveLink(restore));
    }
    for (const std::string& folder : folders) {
      STILE_RETURN_IF_ERROR(fs_->RemoveDir(folder));
      way_back_.push_back([this, folder] { fs_->MakeDirs(folder).IgnoreError(); });
    }
    STILE_RETURN_IF_ERROR(WriteFiles(restores));
    for (const Restore& restore : restores) {
      if (restore.to_symlink()) STILE_RETURN_IF_ERROR(MakeLink(restore));
      if (restore.to_regular()) STILE_RETURN_IF_ERROR(SetMode(restore));
    }
    way_back_.clear();
    return absl::OkStatus();
  }

 private:
  absl::Status DeleteFiles(const std::vector<Restore>& restores) {
    bool any = false;
    for (const Restore& restore : restores) {
      if (restore.now.kind != Present::kRegular || restore.to_regular()) continue;
      STILE_RETURN_IF_ERROR(deletions_.Delete(restore.path));
      deletions_.Expect(restore.path, restore.now.content);
      any = true;
    }
    return any ? Commit(&deletions_) : absl::OkStatus();
  }

  absl::Status WriteFiles(const std::vector<Restore>& restores) {
    bool any = false;
    for (const Restore& restore : restores) {
      if (!restore.to_regular()) continue;
      STILE_RETURN_IF_ERROR(
          writes_.Write(restore.path, *restore.content, static_cast<int>(restore.mode & 0777)));
      writes_.Expect(restore.path, restore.now.kind == Present::kRegular
                                       ? std::optional<std::string>(restore.now.content)
                                       : std::nullopt);
      any = true;
    }
    return any ? Commit(&writes_) : absl::OkStatus();
  }

  absl::Status Commit(EditTransaction* transaction) {
    STILE_RETURN_IF_ERROR(transaction->Commit());
    way_back_.push_back([transaction] { transaction->Undo().IgnoreError(); });
    return absl::OkStatus();
  }

  absl::Status RemoveLink(const Restore& restore) {
    STILE_RETURN_IF_ERROR(fs_->RemoveFile(restore.absolute));
    way_back_.push_back([restore] {
      if (symlink(restore.now.content.c_str(), restore.absolute.c_str()) != 0) return;
    });
    return absl::OkStatus();
  }

  absl::Status MakeLink(const Restore& restore) {
    STILE_RETURN_IF_ERROR(fs_->MakeDirs(DirName(restore.absolute)));
    if (symlink(restore.content->c_str(), restore.absolute.c_str()) != 0) {
      return ErrnoStatus(errno, "make link", ToUtf8(restore.path));
    }
    way_back_.push_back([this, restore] { fs_->RemoveFile(restore.absolute).IgnoreError(); });
    return absl::OkStatus();
  }

  absl::Status SetMode(const Restore& restore) {
    const bool was_regular = restore.now.kind == Present::kRegular;
    if (was_regular && ((restore.now.mode ^ restore.mode) & kExecutableBits) == 0) {
      return absl::OkStatus();
    }
    if (chmod(restore.absolute.c_str(), restore.mode & 0777) != 0) {
      return ErrnoStatus(errno, "set the mode of", ToUtf8(restore.path));
    }
    if (was_regular) {
      way_back_.push_back([restore] {
        if (chmod(restore.absolute.c_str(), restore.now.mode & 07777) != 0) return;
      });
    }
    return absl::OkStatus();
  }

  FileSystem* fs_;
  EditTransaction deletions_;
  EditTransaction writes_;
  std::vector<std::function<void()>> way_back_;
};

// The content that was there before; nullopt: it is lost.
std::optional<std::string> ContentBefore(RunStore* store, const RecordedChange& change) {
  const uint32_t kind = change.before_mode & S_IFMT;
  if (kind != 0 && kind != S_IFREG && kind != S_IFLNK) return std::nullopt;
  absl::StatusOr<std::string> content = store->blobs()->Get(*change.before);
  if (!content.ok()) return std::nullopt;
  return *std::move(content);
}

// The changes that can be taken back; the others go into the report, unless nothing is to be done.
absl::StatusOr<std::vector<Restore>> FindRestores(FileSystem* fs, RunStore* store,
                                                  const std::vector<RecordedChange>& changes,
                                                  const std::string& root, UndoReport* report) {
  std::vector<Restore> restores;
  for (const RecordedChange& change : changes) {
    const std::optional<std::string> absolute = Locate(root, change.path);
    if (!absolute.has_value()) {
      report->kept.push_back(change.path);
      continue;
    }
    STILE_ASSIGN_OR_RETURN(Present now, Look(fs, *absolute));
    // A folder where nothing was: that is how it should be, or nothing to do with this path.
    if (Holds(now, change.before, change.before_mode)) continue;
    if (!Holds(now, change.after, change.after_mode)) {
      report->kept.push_back(change.path);
      continue;
    }
    Restore restore{change.path, *absolute, std::move(now), std::nullopt, change.before_mode};
    if (change.before.has_value()) {
      restore.content = ContentBefore(store, change);
      if (!restore.content.has_value()) {
        report->lost.push_back(change.path);
        continue;
      }
    }
    restores.push_back(std::move(restore));
  }
  return restores;
}

// A folder that stands where a file was goes only if nothing of anybody else is in it. Returns the
// folders that go; restores where the folder stays are moved into the report.
std::vector<std::string> KeepUsedFolders(std::vector<Restore>* restores, UndoReport* report) {
  std::set<std::string> leaving;
  for (const Restore& restore : *restores) {
    if (!restore.content.has_value()) leaving.insert(restore.absolute);
  }
  std::vector<std::string> folders;
  std::vector<Restore> possible;
  for (Restore& restore : *restores) {
    if (restore.now.kind == Present::kFolder) {
      const auto empty = EmptyFolders(restore.absolute, leaving);
      if (!empty.has_value()) {
        report->kept.push_back(restore.path);
        continue;
      }
      folders.insert(folders.end(), empty->begin(), empty->end());
    }
    possible.push_back(std::move(restore));
  }
  *restores = std::move(possible);
  return folders;
}

}  // namespace

std::vector<std::string> NoLongerHeld(const std::string& workspace,
                                      const std::vector<RecordedChange>& changes) {
  std::vector<std::string> paths;
  for (const RecordedChange& change : changes) {
    const auto present = Look(DiskFileSystem(), absl::StrCat(workspace, "/", change.path));
    if (!present.ok() || !Holds(*present, change.after, change.after_mode)) {
      paths.push_back(change.path);
    }
  }
  return paths;
}

absl::StatusOr<UndoReport> UndoChanges(FileSystem* fs, RunStore* store,
                                       const std::vector<RecordedChange>& changes,
                                       const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(const std::string root, RealPath(workspace));
  STILE_RETURN_IF_ERROR(RecoverTransactions(fs, SystemClock(), store->edits_dir(), root).status());
  UndoReport report;
  STILE_ASSIGN_OR_RETURN(std::vector<Restore> restores,
                         FindRestores(fs, store, changes, root, &report));
  const std::vector<std::string> folders = KeepUsedFolders(&restores, &report);
  STILE_RETURN_IF_ERROR(Undo(fs, root, store->edits_dir()).Run(restores, folders));
  for (const Restore& restore : restores) report.restored.push_back(restore.path);
  std::sort(report.restored.begin(), report.restored.end());
  std::sort(report.kept.begin(), report.kept.end());
  return report;
}

}  // namespace stile

#include "runtime/coverage/folder_listing.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/file_time.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// A folder that appears with more files than this counts as one that holds a file of the build.
constexpr int kMaxVisited = 20'000;

std::string Below(const std::string& folder, const std::string& name) {
  return folder == "." ? name : JoinPath(folder, name);
}

bool IsLeftOut(absl::string_view name) {
  return name == ".git" || name == ".hg" || name == ".svn" || name == "__pycache__";
}

class Search {
 public:
  Search(const std::string& workspace, const std::function<bool(absl::string_view)>& may_use)
      : workspace_(workspace), may_use_(may_use) {}

  // "" when there is none: the path itself, or that of a file below it.
  std::string FileAt(const std::string& path, bool enters_folders) {
    const std::string name = BaseName(path);
    const std::string absolute = JoinPath(workspace_, path);
    if (IsLeftOut(name)) return "";
    if (!DirectoryExists(absolute)) return may_use_(name) && FileExists(absolute) ? path : "";
    struct stat info {};
    // A link to a folder counts: its files may lie anywhere.
    if (lstat(absolute.c_str(), &info) != 0 || !enters_folders) return "";
    if (S_ISLNK(info.st_mode)) return path;
    const auto names = ListDirectory(absolute);
    if (!names.ok()) return "";
    for (const std::string& entry : *names) {
      if (++visited_ > kMaxVisited) return path;
      std::string found = FileAt(JoinPath(path, entry), /*enters_folders=*/true);
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  const std::string& workspace_;
  const std::function<bool(absl::string_view)>& may_use_;
  int visited_ = 0;
};

}  // namespace

bool HoldsBelow(const std::set<std::string>& paths, const std::string& path) {
  if (paths.count(path) > 0) return true;
  const auto at = paths.lower_bound(path + "/");
  return at != paths.end() && IsWithin(*at, path);
}

FolderListings ListFolders(const std::string& workspace, const Observation& observed,
                           absl::Time began) {
  const int64_t began_ns = absl::ToUnixNanos(began);
  FolderListings listings;
  for (const std::string& folder : observed.listed) {
    const std::string absolute = folder == "." ? workspace : JoinPath(workspace, folder);
    struct stat info {};
    if (stat(absolute.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) continue;
    auto names = ListDirectory(absolute);
    if (!names.ok()) continue;
    FolderListing listing;
    const bool is_settled = SafelyBefore(Nanoseconds(info.st_ctim), began_ns);
    if (is_settled) {
      listing.inode = info.st_ino;
      listing.changed_ns = Nanoseconds(info.st_ctim);
    }
    bool has_folders = false;
    bool entered = false;
    for (std::string& name : *names) {
      const std::string path = Below(folder, name);
      struct stat entry {};
      if (lstat(JoinPath(workspace, path).c_str(), &entry) != 0) continue;
      if (S_ISDIR(entry.st_mode)) {
        has_folders |= !IsLeftOut(name);
        entered |= HoldsBelow(observed.read, path) || HoldsBelow(observed.listed, path);
      }
      // Entries of a folder get a new ctime when they are made or moved there.
      const bool is_young = !is_settled && Nanoseconds(entry.st_ctim) >= began_ns;
      if (!is_young || S_ISDIR(entry.st_mode) || HoldsBelow(observed.written, path)) {
        listing.names.insert(std::move(name));
      }
    }
    listing.enters_folders = entered || !has_folders;
    listings.emplace(folder, std::move(listing));
  }
  return listings;
}

std::vector<std::string> AppearedFiles(const std::string& workspace, const FolderListings& listings,
                                       const std::function<bool(absl::string_view name)>& may_use) {
  std::set<std::string> appeared;
  for (const auto& [folder, listing] : listings) {
    const std::string absolute = folder == "." ? workspace : JoinPath(workspace, folder);
    struct stat info {};
    if (stat(absolute.c_str(), &info) != 0) continue;
    if (info.st_ino == listing.inode && Nanoseconds(info.st_ctim) == listing.changed_ns) continue;
    const auto names = ListDirectory(absolute);
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      if (listing.names.count(name) > 0) continue;
      Search search(workspace, may_use);
      const std::string found = search.FileAt(Below(folder, name), listing.enters_folders);
      if (!found.empty()) appeared.insert(found);
    }
  }
  return std::vector<std::string>(appeared.begin(), appeared.end());
}

}  // namespace stile

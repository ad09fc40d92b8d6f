// Which files have appeared in folders since a build listed them.
#ifndef STILE_RUNTIME_COVERAGE_FOLDER_LISTING_H_
#define STILE_RUNTIME_COVERAGE_FOLDER_LISTING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/coverage/observation.h"

namespace stile {

// A folder as it was when a build had listed it.
struct FolderListing {
  // The folder's stat: as long as both are the same, nothing has appeared. 0 where a name could
  // have appeared within the granularity of the clock.
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // ctime
  std::set<std::string> names;
  // False if the folder had sub-folders and the build used nothing in any of them.
  bool enters_folders = true;

  friend bool operator==(const FolderListing& a, const FolderListing& b) {
    return a.inode == b.inode && a.changed_ns == b.changed_ns && a.names == b.names &&
           a.enters_folders == b.enters_folders;
  }
};

// By path below the workspace; "." is the workspace.
using FolderListings = std::map<std::string, FolderListing>;

// Whether one of the paths is the given one, or lies below it.
bool HoldsBelow(const std::set<std::string>& paths, const std::string& path);

// Looks at the folders that a build, observed since `began`, has listed. Names that others than the
// build put there since then are left out: the build may not have seen them. Folders that are gone,
// or cannot be read, are left out.
FolderListings ListFolders(const std::string& workspace, const Observation& observed,
                           absl::Time began);

// Files below the workspace that are there now and were not when their folder was listed, sorted.
// Of a folder that has appeared: one of its files. `may_use` tells by the name of a file whether
// the build could take it in.
std::vector<std::string> AppearedFiles(const std::string& workspace, const FolderListings& listings,
                                       const std::function<bool(absl::string_view name)>& may_use);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_FOLDER_LISTING_H_

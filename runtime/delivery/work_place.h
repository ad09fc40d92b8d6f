// The branch and the working tree in which work is done that ends in a commit.
#ifndef STILE_RUNTIME_DELIVERY_WORK_PLACE_H_
#define STILE_RUNTIME_DELIVERY_WORK_PLACE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/json.h"
#include "runtime/git/repository.h"

namespace stile {

// A place that PreparePlace has made ready.
struct WorkPlace {
  Repository repository;  // the working tree in which the steps run
  std::string workspace;  // absolute, in it
  std::string prefix;     // of workspace paths within the repository: "" or "web/app/"
  std::string branch;
  bool new_branch = false;  // made now; else the work goes on on the current one
  bool worktree = false;    // a second working tree
};

// The branch of the work and what was checked out before it, so that undo can go back there.
struct BranchOrigin {
  std::string branch;
  bool is_new = false;      // there was no such branch
  std::string from_branch;  // checked out before; "" : HEAD was detached
  std::string from_commit;  // HEAD before; "" : there was no commit
};
Json ToJson(const BranchOrigin& origin);
// nullopt where it is none.
std::optional<BranchOrigin> BranchOriginFromJson(const Json& json);
// Before work begins; nothing is changed. FailedPrecondition without a repository.
absl::StatusOr<BranchOrigin> DescribeOrigin(ProcessRunner* runner, const std::string& branch,
                                            const std::string& workspace);

// Where a caller wants to work. Nothing is owned.
struct PlaceOptions {
  std::string story_file;  // absolute, no symlinks; a new one may be untracked; "" : none
  bool allow_dirty = false;
  bool worktree = false;      // work in a second working tree below worktrees_dir, not in place
  std::string worktrees_dir;  // RunStore::worktrees_dir(); required with `worktree` and `beside`
  // The id of the run that a process has under way in that working tree; "": none. May be empty.
  std::function<std::string(const std::string& folder)> run_in;
  // Paths relative to the workspace that earlier steps (or what is retried) changed: they are not
  // taken for uncommitted changes of somebody else, and are part of the commit.
  std::vector<std::string> done_changed;
};

struct PlaceRequest {
  std::string workspace;  // an existing folder in a repository
  std::string branch;
  std::string run_id;    // names the second working tree
  bool beside = false;   // steps will run beside each other, in working trees of their own
  bool goes_on = false;  // steps have been done: the branch has to be checked out
  // An earlier process of this run was stopped before its first step: what it made is removed.
  bool begins_again = false;
};

// The first of BRANCH, BRANCH-2, BRANCH-3, … on which no other run works (options.run_in). Any git
// failure gives BRANCH.
std::string FreeBranch(ProcessRunner* runner, const std::string& branch,
                       const std::string& workspace, const PlaceOptions& options);

// The working tree that has `branch` checked out; "" if none.
std::string WorktreeOf(const Repository& repository, const std::string& branch);

// Before work goes on: FailedPrecondition, with the way back, when its branch is there and the
// working tree of `repository` is on another one.
absl::Status CheckOnBranch(const Repository& repository, const std::string& branch);

// Checks for a clean tree and makes the branch, in place or in a second working tree named after
// the run. Nothing has been changed when it fails: FailedPrecondition for no repository, files
// that are not committed, or a branch that is there and is not the current one; InvalidArgument for
// a name that git refuses. Blocks while git runs.
absl::StatusOr<WorkPlace> PreparePlace(ProcessRunner* runner, const ProgramWrapper& wrapper,
                                       const PlaceRequest& request, const PlaceOptions& options);

}  // namespace stile

#endif  // STILE_RUNTIME_DELIVERY_WORK_PLACE_H_

// Where a story works: its branch, its working tree.
#ifndef STILE_RUNTIME_STORY_STORY_PLACE_H_
#define STILE_RUNTIME_STORY_STORY_PLACE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/git/repository.h"
#include "runtime/story/story_runner.h"

namespace stile {

// Where a story works, made ready.
struct StoryPlace {
  Repository repository;  // the working tree in which the steps run
  std::string workspace;  // absolute, in it
  std::string prefix;     // of workspace paths within the repository: "" or "web/app/"
  std::string branch;
  bool new_branch = false;  // made now; else the story goes on on the current one
  bool worktree = false;
};

// The branch of a story and what was checked out before it, so that undo can go back there.
struct StoryGround {
  std::string branch;
  bool is_new = false;      // there was no such branch
  std::string from_branch;  // checked out before; "" : HEAD was detached
  std::string from_commit;  // HEAD before; "" : there was no commit
};
Json ToJson(const StoryGround& ground);
// nullopt where it is none.
std::optional<StoryGround> GroundFromJson(const Json& json);
// Before a story begins; nothing is changed. FailedPrecondition without a repository.
absl::StatusOr<StoryGround> DescribeGround(ProcessRunner* runner, const std::string& branch,
                                           const std::string& workspace);

// The name of the branch on which a story works.
std::string BranchOf(const Story& story);

// The same for a story in a second working tree. While another story works on that branch
// (options.story_in), and this one does not name its branch, it is the first of BRANCH-2, BRANCH-3,
// … that is not there. Any git failure gives BranchOf.
std::string FreeBranch(ProcessRunner* runner, const Story& story, const std::string& workspace,
                       const StoryOptions& options);

// The working tree that has `branch` checked out; "" if none.
std::string WorktreeOf(const Repository& repository, const std::string& branch);

// Before a story goes on: FailedPrecondition, with the way back, when its branch is there and the
// working tree of `repository` is on another one.
absl::Status CheckOnBranch(const Repository& repository, const std::string& branch);

// Checks for a clean tree and makes the branch, in place or in a second working tree named after
// `run_id`. The failures are those of StoryRunner::Run; nothing has been changed then.
absl::StatusOr<StoryPlace> PrepareStory(ProcessRunner* runner, const ProgramWrapper& wrapper,
                                        const Story& story, const std::string& workspace,
                                        const StoryOptions& options, const std::string& run_id);

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_PLACE_H_

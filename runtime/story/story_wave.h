// Working trees for steps that run beside each other, and what comes back from them.
#ifndef STILE_RUNTIME_STORY_STORY_WAVE_H_
#define STILE_RUNTIME_STORY_STORY_WAVE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/story/step_run.h"
#include "runtime/story/story_place.h"

namespace stile {

// The working trees of one wave, "<run id>.<step>" below a folder. They stay until they are
// removed: a killed story goes on in them. Not thread-safe.
class StoryWave {
 public:
  // `story`: where the steps before worked. Nothing is owned.
  StoryWave(const StoryPlace* story, std::string worktrees_dir, std::string run_id,
            ProcessRunner* runner, StepRunner* steps);

  // A working tree for a step that holds what the story's has at HEAD and at the paths `changed`
  // (relative to the workspace); one that is there already, as it is. FailedPrecondition when the
  // step has begun in one that is not there any more. The place points into this object, until
  // Remove.
  absl::StatusOr<StepPlace> Prepare(size_t number, const std::vector<std::string>& changed);

  // The changes of `by_step` (paths relative to the workspace) in the step's tree, merged with what
  // the story's workspace holds by now; `changed` as above. Nothing is written but git's objects.
  absl::StatusOr<EditSet> Merge(size_t number, const std::vector<std::string>& changed,
                                const std::vector<std::string>& by_step);

  // Files that git ignores in the step's tree, in one line; not those in folders that are ignored
  // as a whole. "" if there are none.
  std::string IgnoredFiles(size_t number) const;

  // "" if nothing of the step's is there.
  std::string FolderOf(size_t number) const;
  absl::Status Remove(size_t number);

 private:
  struct Tree {
    Repository repository;
    std::string base;  // the commit that it began with
  };
  std::string Folder(size_t number) const;
  // Of the story's workspace, at HEAD and these paths.
  absl::StatusOr<std::string> PresentTree(const std::vector<std::string>& changed) const;
  absl::StatusOr<Repository> OpenTree(const std::string& folder) const;
  absl::Status MakeTree(size_t number, const std::vector<std::string>& changed) const;
  std::vector<std::string> InRepository(const std::vector<std::string>& paths) const;
  absl::Status ReadFiles(const std::string& tree, const std::vector<std::string>& changed,
                         EditSet* merge) const;

  const StoryPlace& story_;
  const std::string worktrees_dir_;
  const std::string run_id_;
  ProcessRunner* const runner_;
  StepRunner* const steps_;
  std::map<size_t, Tree> trees_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_WAVE_H_

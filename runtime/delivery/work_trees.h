// Working trees for steps that run beside each other, and the way their work comes back.
#ifndef STILE_RUNTIME_DELIVERY_WORK_TREES_H_
#define STILE_RUNTIME_DELIVERY_WORK_TREES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/delivery/work_place.h"
#include "runtime/git/repository.h"
#include "runtime/workspace/edit_set.h"

namespace stile {

// Where a step works. The repository is not owned.
struct StepPlace {
  std::string workspace;  // absolute
  const Repository* repository = nullptr;
  std::string branch;  // that has to stay checked out; "": none, but the commit `head`
  std::string head;
  std::vector<std::string> delivered;  // what earlier steps changed, relative to the workspace
};

// What working trees need from the services around them. Called by several threads at once, for
// different workspaces.
class WorkTreeHost {
 public:
  virtual ~WorkTreeHost() = default;
  // Makes what the ignore rules leave out of `workspace` (installed packages) available in
  // `folder`, another working tree of the same repository.
  virtual absl::Status ShareDependencies(const std::string& workspace,
                                         const std::string& folder) = 0;
  // Where the run of that id works, which has begun here or in a process that was killed ("": its
  // journal is damaged); nullopt: there is none.
  virtual std::optional<std::string> WorkspaceOf(const std::string& run_id) = 0;
  // Forgets what is kept for a workspace that is about to be removed.
  virtual absl::Status ForgetWorkspace(const std::string& workspace) = 0;
  // See ProgramWrapper.
  virtual absl::StatusOr<std::vector<std::string>> WrapPrograms(const Repository& repository) = 0;
};

// The working trees of steps that run beside each other, "<run id>.<step>" below a folder. They
// stay until they are removed: a killed run goes on in them. Not thread-safe. Blocks while git
// runs.
class WorkTrees {
 public:
  // `place`: where the steps before worked. Nothing is owned.
  WorkTrees(const WorkPlace* place, std::string worktrees_dir, std::string run_id,
            ProcessRunner* runner, WorkTreeHost* host);

  // A working tree for a step that holds what the place has at HEAD and at the paths `changed`
  // (relative to the workspace); one that is there already, as it is. FailedPrecondition when the
  // step has begun in one that is not there any more. The place points into this object, until
  // Remove.
  absl::StatusOr<StepPlace> Prepare(size_t number, const std::vector<std::string>& changed);

  // The changes of `by_step` (paths relative to the workspace) in the step's tree, merged with what
  // the workspace of the place holds by now; `changed` as above. Nothing is written but git's
  // objects.
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
  // Of the place, at HEAD and these paths.
  absl::StatusOr<std::string> PresentTree(const std::vector<std::string>& changed) const;
  absl::StatusOr<Repository> OpenTree(const std::string& folder) const;
  absl::Status MakeTree(size_t number, const std::vector<std::string>& changed) const;
  std::vector<std::string> InRepository(const std::vector<std::string>& paths) const;
  absl::Status ReadFiles(const std::string& tree, const std::vector<std::string>& changed,
                         EditSet* merge) const;

  const WorkPlace& place_;
  const std::string worktrees_dir_;
  const std::string run_id_;
  ProcessRunner* const runner_;
  WorkTreeHost* const host_;
  std::map<size_t, Tree> trees_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_DELIVERY_WORK_TREES_H_

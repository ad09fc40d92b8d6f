#include "runtime/story/story_undo.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/delivery/delivery.h"
#include "runtime/git/repository.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

class Ground {
 public:
  Ground(Repository repository, ProcessRunner* runner, RunStore* store, std::string run_id,
         const StoryHistory* history, UndoReport* report)
      : repository_(std::move(repository)),
        runner_(runner),
        store_(store),
        trees_(RealPath(store->worktrees_dir()).value_or(store->worktrees_dir())),
        run_id_(std::move(run_id)),
        history_(*history),
        report_(*report) {}

  void TakeBack() {
    Sweep();
    for (const std::string& folder : WaveTrees()) RemoveTreeAt(folder);
    const std::string commit = history_.commit.empty() ? UnnotedCommit() : history_.commit;
    if (!commit.empty()) {
      return Leave(absl::StrCat("branch ", history_.branch, ": it has the story's commit ",
                                commit.substr(0, 12), HowToRemove(history_.branch)));
    }
    // It was refused before it made a branch; one of that name is somebody else's.
    if (history_.finished && history_.branch.empty()) return;
    if (!history_.origin.has_value()) {
      if (!history_.branch.empty()) {
        Leave(absl::StrCat("branch ", history_.branch,
                           ": what was checked out before it is not known"));
      }
      return;
    }
    const bool is_whole = report_.kept.empty() && report_.lost.empty();
    if (history_.options.worktree && !TakeBackWorktree(is_whole)) return;
    if (history_.origin->is_new) TakeBackBranch(is_whole);
  }

 private:
  void Leave(std::string what) { report_.left.push_back(std::move(what)); }

  // The commit of a process that was killed before it noted that; git's index follows it.
  std::string UnnotedCommit() const {
    if (history_.branch.empty()) return "";
    const std::string tip = CommitAt(absl::StrCat("refs/heads/", history_.branch));
    const std::string commit = OwnCommit(repository_, tip, run_id_).value_or("");
    if (commit.empty()) return "";
    const std::string folder = WorktreeOf(repository_, history_.branch);
    if (folder.empty()) return commit;
    const auto tree = Repository::Open(runner_, folder);
    if (tree.ok()) FollowCommit(*tree, commit).IgnoreError();
    return commit;
  }

  // "" : there is none.
  std::string CommitAt(const std::string& ref) const {
    const auto commit = repository_.Run({"rev-parse", "--verify", "--quiet", ref});
    return std::string(commit.ok() ? absl::StripSuffix(*commit, "\n") : "");
  }

  // The commands that remove a branch with its commits, to follow the reason why it is left.
  std::string HowToRemove(const std::string& branch) const {
    if (!history_.origin.has_value() || !history_.origin->is_new) return "";
    const std::string remove = absl::StrCat("`git branch -D ", branch, "`");
    const auto current = repository_.CurrentBranch();
    if (current.ok() && *current == branch) {
      const BranchOrigin& origin = *history_.origin;
      const bool has_branch = !origin.from_branch.empty() &&
                              !CommitAt(absl::StrCat("refs/heads/", origin.from_branch)).empty();
      if (!has_branch && origin.from_commit.empty()) return "";
      // --merge: the files are no longer those of the commit.
      const std::string back =
          has_branch ? origin.from_branch : absl::StrCat("--detach ", origin.from_commit);
      return absl::StrCat("; `git switch --merge ", back, "`, then ", remove, ", removes it");
    }
    if (const std::string folder = WorktreeOf(repository_, branch); !folder.empty()) {
      return absl::StrCat("; `git worktree remove --force ", DisplayPath(folder), "`, then ",
                          remove, ", removes it");
    }
    return absl::StrCat("; ", remove, " removes it");
  }

  // Clean rooms of processes that were killed, and what git remembers of them.
  void Sweep() const {
    if (!DirectoryExists(trees_)) return;
    { const ScratchFolder sweeping(trees_); }
    repository_.ForgetWorktrees(trees_).IgnoreError();
  }

  // "<run id>.<step>" below the folder for working trees.
  std::vector<std::string> WaveTrees() const {
    std::vector<std::string> folders;
    const auto names = ListDirectory(trees_);
    if (!names.ok()) return folders;  // there are none
    for (const std::string& name : *names) {
      if (absl::StartsWith(name, absl::StrCat(run_id_, "."))) {
        folders.push_back(JoinPath(trees_, name));
      }
    }
    return folders;
  }

  bool RemoveTreeAt(const std::string& folder) {
    const std::string what = absl::StrCat("working tree ", DisplayPath(folder));
    // What is kept for it in the state folder, where it is a workspace.
    if (const auto memory = store_->WorkspaceDir(folder); memory.ok()) {
      stile::RemoveTree(*memory).IgnoreError();
    }
    if (const absl::Status removed = repository_.RemoveWorktree(folder); !removed.ok()) {
      Leave(absl::StrCat(what, ": ", removed.message()));
      return false;
    }
    report_.removed.push_back(what);
    return true;
  }

  // False: it stays, and so does the branch that it has checked out.
  bool TakeBackWorktree(bool is_whole) {
    const std::string folder = JoinPath(trees_, run_id_);
    if (!FileExists(folder)) return true;
    const std::string what = absl::StrCat("working tree ", DisplayPath(folder));
    if (!is_whole) {
      Leave(absl::StrCat(what, ": it has files that were not restored"));
      return false;
    }
    const auto tree = Repository::Open(runner_, folder);
    // One that is not whole (git was killed while it made it) holds no work.
    if (tree.ok() && tree->root() == folder) {
      const auto status = tree->Status();
      if (!status.ok()) {
        Leave(absl::StrCat(what, ": ", status.status().message()));
        return false;
      }
      if (!status->entries.empty()) {
        Leave(absl::StrCat(what, ": it has files that are not the story's, ",
                           DisplayPath(status->entries.front().path), " for one"));
        return false;
      }
      if (status->commit != history_.origin->from_commit) {
        Leave(absl::StrCat(what, ": commits were made in it"));
        return false;
      }
    }
    return RemoveTreeAt(folder);
  }

  void TakeBackBranch(bool is_whole) {
    const BranchOrigin& origin = *history_.origin;
    const std::string what = absl::StrCat("branch ", origin.branch);
    const auto current = repository_.CurrentBranch();
    const auto exists = repository_.BranchExists(origin.branch);
    if (!current.ok() || !exists.ok()) {
      return Leave(
          absl::StrCat(what, ": ", (current.ok() ? exists.status() : current.status()).message()));
    }
    const bool is_here = *current == origin.branch;
    if (!*exists && !is_here) return;
    if (!is_whole) return Leave(absl::StrCat(what, ": it has files that were not restored"));
    if (*exists) {
      const auto tip = repository_.Run({"rev-parse", absl::StrCat("refs/heads/", origin.branch)});
      if (!tip.ok() || absl::StripSuffix(*tip, "\n") != origin.from_commit) {
        return Leave(absl::StrCat(what, ": it has commits", HowToRemove(origin.branch)));
      }
    }
    if (is_here && !GoBack(what)) return;
    if (const std::string folder = WorktreeOf(repository_, origin.branch); !folder.empty()) {
      return Leave(absl::StrCat(what, ": it is checked out in ", DisplayPath(folder)));
    }
    if (*exists) {
      const auto deleted = repository_.Run({"branch", "--quiet", "-D", origin.branch});
      if (!deleted.ok()) return Leave(absl::StrCat(what, ": ", deleted.status().message()));
    }
    report_.removed.push_back(what);
  }

  // HEAD leads to what was checked out before. Its commit is the same, so files and index stay.
  bool GoBack(const std::string& what) {
    const BranchOrigin& origin = *history_.origin;
    if (!origin.from_branch.empty()) {
      const std::string ref = absl::StrCat("refs/heads/", origin.from_branch);
      const auto tip = repository_.Run({"rev-parse", "--verify", "--quiet", ref});
      const std::string commit(tip.ok() ? absl::StripSuffix(*tip, "\n") : "");
      if (commit != origin.from_commit) {
        Leave(absl::StrCat(what, ": ", origin.from_branch, " has moved meanwhile; `git switch ",
                           origin.from_branch, "` goes back there"));
        return false;
      }
      const auto moved = repository_.Run({"symbolic-ref", "HEAD", ref});
      if (!moved.ok()) Leave(absl::StrCat(what, ": ", moved.status().message()));
      return moved.ok();
    }
    const auto moved = repository_.Run({"switch", "--quiet", "--detach", origin.from_commit});
    if (!moved.ok()) Leave(absl::StrCat(what, ": ", moved.status().message()));
    return moved.ok();
  }

  const Repository repository_;
  ProcessRunner* const runner_;
  RunStore* const store_;
  const std::string trees_;  // the folder for working trees, without symlinks, as git lists them
  const std::string run_id_;
  const StoryHistory& history_;
  UndoReport& report_;
};

}  // namespace

absl::Status TakeBackGround(ProcessRunner* runner, RunStore* store, const std::string& run_id,
                            const StoryHistory& history, UndoReport* report) {
  // Not `workspace`: that may be the working tree which is about to go.
  STILE_ASSIGN_OR_RETURN(Repository repository, Repository::Open(runner, history.home));
  Ground(std::move(repository), runner, store, run_id, &history, report).TakeBack();
  return absl::OkStatus();
}

}  // namespace stile

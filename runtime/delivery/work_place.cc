#include "runtime/delivery/work_place.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kPathsInMessage = 10;
constexpr int kMaxBranches = 1000;  // of one story

absl::Status CheckClean(const Repository& repository, const std::string& prefix,
                        const PlaceOptions& options) {
  std::set<std::string> done;
  for (const std::string& path : options.done_changed) done.insert(prefix + path);
  STILE_ASSIGN_OR_RETURN(const GitStatus status, repository.Status());
  std::string listed;
  size_t dirty = 0;
  for (const GitStatusEntry& entry : status.entries) {
    if (done.count(entry.path) != 0) continue;
    const bool is_new = entry.code == "??";
    if (is_new && JoinPath(repository.root(), entry.path) == options.story_file) continue;
    if (++dirty <= kPathsInMessage) {
      absl::StrAppend(&listed, "\n  ", entry.code, " ", DisplayPath(entry.path));
    }
  }
  if (dirty == 0) return absl::OkStatus();
  if (dirty > kPathsInMessage) {
    absl::StrAppend(&listed, "\n  … and ", dirty - kPathsInMessage, " more");
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "a story needs a clean working tree, but ", Count(dirty, "file"), dirty == 1 ? " is" : " are",
      " not committed:", listed, "\nCommit or stash them, or pass --allow-dirty (",
      options.worktree
          ? "the second working tree starts without them)."
          : "they stay out of the story's commit, except where a step changes them)."));
}

// What steps that run beside each other need, before any step costs anything.
absl::Status CheckBeside(const Repository& repository, const PlaceOptions& options) {
  if (options.worktrees_dir.empty()) {
    return absl::InvalidArgumentError("steps of a wave need a folder for their working trees");
  }
  STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
  if (head.empty()) {
    return absl::FailedPreconditionError(
        "steps of a wave work in working trees of their own, which start from a commit, and the "
        "repository has none yet");
  }
  return repository.CanMergeTrees();
}

absl::Status CheckBranchName(const Repository& repository, const std::string& branch) {
  if (!branch.empty() && branch[0] != '-' && branch != "HEAD" &&
      repository.Run({"check-ref-format", absl::StrCat("refs/heads/", branch)}).ok()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("git does not accept the branch name ", DisplayPath(branch)));
}

// The run that works on `branch` at present; "" if there is none.
std::string RunAtWork(const Repository& repository, const std::string& branch,
                      const PlaceOptions& options) {
  const std::string folder = WorktreeOf(repository, branch);
  return folder.empty() || !options.run_in ? "" : options.run_in(folder);
}

absl::Status BranchTaken(const Repository& repository, const std::string& branch,
                         const PlaceOptions& options) {
  const std::string folder = WorktreeOf(repository, branch);
  if (const std::string id = RunAtWork(repository, branch, options); !id.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", id, " works on branch ", branch, " at present, in ", DisplayPath(folder),
        ". Wait until it has ended; or run the story with --worktree and without "
        "'branch:', which then has a branch of its own; or give it another 'branch:'."));
  }
  if (!folder.empty() && folder != repository.root()) {
    return absl::FailedPreconditionError(
        absl::StrCat("branch ", branch, " exists already, with its work in ", DisplayPath(folder),
                     ". To go on there, run the story with --workspace in that folder; to start "
                     "anew, `git worktree remove --force ",
                     DisplayPath(folder), "` and `git branch -D ", branch,
                     "`, or give the story another 'branch:'."));
  }
  if (!folder.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("branch ", branch, " is checked out in ", DisplayPath(folder),
                     ". To go on there, run the story without --worktree; to leave it alone, give "
                     "the story another 'branch:'."));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("branch ", branch, " exists already. To go on on it, `git switch ", branch,
                   "` and run the story again; to start anew, `git branch -D ", branch,
                   "`, or give the story another 'branch:'."));
}

absl::StatusOr<WorkPlace> PrepareWorktree(ProcessRunner* runner, const ProgramWrapper& wrapper,
                                          const Repository& repository, const std::string& branch,
                                          const std::string& prefix, const PlaceOptions& options,
                                          const std::string& run_id) {
  if (options.worktrees_dir.empty()) {
    return absl::InvalidArgumentError("a second working tree needs a folder to lie in");
  }
  STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
  if (head.empty()) {
    return absl::FailedPreconditionError(
        "the repository has no commit yet that a second working tree could start from");
  }
  const std::string folder = JoinPath(options.worktrees_dir, run_id);
  if (FileExists(folder)) {
    return absl::FailedPreconditionError(absl::StrCat(
        DisplayPath(folder), " is left over from an earlier run. When nothing in it is ",
        "wanted, `git worktree remove --force ", DisplayPath(folder), "`."));
  }
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(options.worktrees_dir));
  // Those of ours whose folders are gone would hold on to their branches.
  STILE_RETURN_IF_ERROR(repository.ForgetWorktrees(options.worktrees_dir));
  STILE_RETURN_IF_ERROR(repository.AddWorktree(folder, branch));
  STILE_ASSIGN_OR_RETURN(Repository tree, Repository::Open(runner, folder, wrapper));
  std::string workspace =
      prefix.empty() ? tree.root() : JoinPath(tree.root(), absl::StripSuffix(prefix, "/"));
  if (!DirectoryExists(workspace)) {
    tree.RemoveWorktree(folder).IgnoreError();
    repository.Run({"branch", "--quiet", "-D", branch}).status().IgnoreError();
    return absl::FailedPreconditionError(absl::StrCat(
        "the workspace ", DisplayPath(prefix),
        " is not part of the last commit, so a second working ", "tree would not have it"));
  }
  return WorkPlace{std::move(tree), std::move(workspace), prefix, branch, true, true};
}

// A killed story leaves, at worst, a second working tree that is not whole, and a branch at HEAD:
// no step has run yet. Both go, and are made again.
absl::Status RemoveBeginnings(const Repository& repository, const std::string& branch,
                              const PlaceOptions& options, const std::string& run_id) {
  if (options.worktree) {
    STILE_RETURN_IF_ERROR(repository.RemoveWorktree(JoinPath(options.worktrees_dir, run_id)));
  }
  STILE_ASSIGN_OR_RETURN(const std::string current, repository.CurrentBranch());
  STILE_ASSIGN_OR_RETURN(const bool exists, repository.BranchExists(branch));
  if (!exists || current == branch || !WorktreeOf(repository, branch).empty()) {
    return absl::OkStatus();
  }
  STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
  STILE_ASSIGN_OR_RETURN(const std::string tip,
                         repository.Run({"rev-parse", absl::StrCat("refs/heads/", branch)}));
  if (absl::StripSuffix(tip, "\n") != head) return absl::OkStatus();
  return repository.Run({"branch", "--quiet", "-D", branch}).status();
}

}  // namespace

Json ToJson(const BranchOrigin& origin) {
  return {{"branch", origin.branch},
          {"is_new", origin.is_new},
          {"from_branch", origin.from_branch},
          {"from_commit", origin.from_commit}};
}

std::optional<BranchOrigin> BranchOriginFromJson(const Json& json) {
  const auto branch = JsonString(json, "branch");
  const auto from_branch = JsonString(json, "from_branch");
  const auto from_commit = JsonString(json, "from_commit");
  const auto is_new = JsonBool(json, "is_new");
  if (!branch || !from_branch || !from_commit || !is_new) return std::nullopt;
  return BranchOrigin{*branch, *is_new, *from_branch, *from_commit};
}

std::string FreeBranch(ProcessRunner* runner, const std::string& branch,
                       const std::string& workspace, const PlaceOptions& options) {
  const auto repository = Repository::Open(runner, workspace);
  if (!repository.ok() || RunAtWork(*repository, branch, options).empty()) return branch;
  for (int n = 2; n < kMaxBranches; ++n) {
    std::string other = absl::StrCat(branch, "-", n);
    const absl::StatusOr<bool> exists = repository->BranchExists(other);
    if (!exists.ok()) break;
    if (!*exists) return other;
  }
  return branch;
}

absl::StatusOr<BranchOrigin> DescribeOrigin(ProcessRunner* runner, const std::string& branch,
                                            const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(const Repository repository, Repository::Open(runner, workspace));
  BranchOrigin origin;
  origin.branch = branch;
  STILE_RETURN_IF_ERROR(CheckBranchName(repository, origin.branch));
  STILE_ASSIGN_OR_RETURN(origin.from_branch, repository.CurrentBranch());
  STILE_ASSIGN_OR_RETURN(origin.from_commit, repository.Head());
  STILE_ASSIGN_OR_RETURN(const bool exists, repository.BranchExists(origin.branch));
  origin.is_new = !exists && origin.from_branch != origin.branch;
  return origin;
}

std::string WorktreeOf(const Repository& repository, const std::string& branch) {
  const absl::StatusOr<std::string> list = repository.Run({"worktree", "list", "--porcelain"});
  if (!list.ok()) return "";
  std::string folder;
  for (absl::string_view line : SplitLines(*list)) {
    if (absl::ConsumePrefix(&line, "worktree ")) folder = std::string(line);
    if (line == absl::StrCat("branch refs/heads/", branch)) return folder;
  }
  return "";
}

absl::Status CheckOnBranch(const Repository& repository, const std::string& branch) {
  STILE_ASSIGN_OR_RETURN(const std::string current, repository.CurrentBranch());
  if (current == branch) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const bool exists, repository.BranchExists(branch));
  if (!exists) return absl::OkStatus();
  const std::string folder = WorktreeOf(repository, branch);
  const bool is_elsewhere = !folder.empty() && folder != repository.root();
  return absl::FailedPreconditionError(absl::StrCat(
      "the work of the story is on branch ", branch, ", and ", DisplayPath(repository.root()),
      " is ", current.empty() ? "on no branch" : absl::StrCat("on branch ", current),
      ". To go on, ",
      is_elsewhere ? absl::StrCat("`git -C ", DisplayPath(folder), " switch --detach`, then ") : "",
      "`git switch ", branch, "` there, then give the same command again."));
}

absl::StatusOr<WorkPlace> PreparePlace(ProcessRunner* runner, const ProgramWrapper& wrapper,
                                       const PlaceRequest& request, const PlaceOptions& options) {
  STILE_ASSIGN_OR_RETURN(std::string real, RealPath(request.workspace));
  absl::StatusOr<Repository> opened = Repository::Open(runner, real, wrapper);
  if (absl::IsFailedPrecondition(opened.status())) {
    return absl::FailedPreconditionError(absl::StrCat(
        "A story works on a branch of its own, and ", DisplayPath(real),
        " is not a git repository: use `git init` and commit what is there, or run the task "
        "without ",
        "git as `stile run -t \"…\"`."));
  }
  STILE_ASSIGN_OR_RETURN(Repository repository, std::move(opened));
  if (!IsWithin(absl::StripPrefix(real, "/"), absl::StripPrefix(repository.root(), "/"))) {
    return absl::FailedPreconditionError(absl::StrCat(
        DisplayPath(real), " is not in the working tree ", DisplayPath(repository.root())));
  }
  if (request.beside) STILE_RETURN_IF_ERROR(CheckBeside(repository, options));
  const std::string prefix =
      real == repository.root() ? "" : absl::StrCat(real.substr(repository.root().size() + 1), "/");
  const std::string& branch = request.branch;
  STILE_RETURN_IF_ERROR(CheckBranchName(repository, branch));
  if (!options.allow_dirty) STILE_RETURN_IF_ERROR(CheckClean(repository, prefix, options));
  if (request.begins_again) {
    STILE_RETURN_IF_ERROR(RemoveBeginnings(repository, branch, options, request.run_id));
  }
  STILE_ASSIGN_OR_RETURN(const std::string current, repository.CurrentBranch());
  if (!options.worktree && current == branch) {
    return WorkPlace{std::move(repository), std::move(real), prefix, branch, false, false};
  }
  STILE_ASSIGN_OR_RETURN(const bool exists, repository.BranchExists(branch));
  if (request.goes_on) STILE_RETURN_IF_ERROR(CheckOnBranch(repository, branch));
  if (exists || current == branch) return BranchTaken(repository, branch, options);
  if (options.worktree) {
    return PrepareWorktree(runner, wrapper, repository, branch, prefix, options, request.run_id);
  }
  STILE_RETURN_IF_ERROR(
      WithContext(repository.CreateBranch(branch), absl::StrCat("cannot make branch ", branch)));
  return WorkPlace{std::move(repository), std::move(real), prefix, branch, true, false};
}

}  // namespace stile

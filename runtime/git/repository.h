#ifndef STILE_RUNTIME_GIT_REPOSITORY_H_
#define STILE_RUNTIME_GIT_REPOSITORY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/git/git_status.h"
#include "runtime/process/process_runner.h"

namespace stile {

struct GitRevision {
  std::string commit;  // "" before the first one
  std::string tree;    // of the commit
};

struct GitCommit {
  std::string id;
  std::string author;
  std::string time;  // ISO 8601
  std::string subject;
};

class Repository;

// The words to put before those of a program that a repository names (a hook, a filter), so that it
// runs in a sandbox; none: it runs as it is.
using ProgramWrapper =
    std::function<absl::StatusOr<std::vector<std::string>>(const Repository& repository)>;

// One working tree, by running the git program. Thread-safe as far as git is. The user's
// configuration holds, but nothing interactive ever starts (no editor, no pager, no credential
// prompt), output is in the C locale, and GIT_* variables that redirect git elsewhere are dropped.
// Errors carry git's own last words.
// One thing: one working tree, one method per command of git; its only state is where it was found.
class Repository {
 public:
  // The repository whose working tree contains `folder`; FailedPrecondition with "not a git
  // repository" in the message if there is none, NotFound if git is not installed.
  // `wrapper` may be empty; it is asked before the first program that needs it.
  static absl::StatusOr<Repository> Open(ProcessRunner* runner, const std::string& folder,
                                         ProgramWrapper wrapper = nullptr);

  // HEAD at the time of Open.
  const GitRevision& opened_at() const { return opened_at_; }
  // Root of the working tree, absolute, no symlinks.
  const std::string& root() const { return root_; }
  // The git directory (for a worktree it lies elsewhere), absolute.
  const std::string& git_dir() const { return git_dir_; }
  // The git directory that a worktree shares with others; that of the repository itself otherwise.
  std::string common_dir() const;

  absl::StatusOr<std::string> Head() const;           // commit id; "" before the first commit
  absl::StatusOr<std::string> CurrentBranch() const;  // "" when HEAD is detached
  absl::StatusOr<bool> BranchExists(const std::string& name) const;
  absl::Status CreateBranch(const std::string& name) const;  // and switches to it
  absl::Status Switch(const std::string& branch) const;

  // Untracked files included, ignored ones and what changed inside submodules not; renames off, so
  // each path stands by itself. git waits for whoever writes into a FIFO that has the name of a
  // file with its rules; `cancellation` ends that. It may be null.
  absl::StatusOr<GitStatus> Status(const Cancellation* cancellation = nullptr) const;
  absl::StatusOr<std::vector<std::string>> TrackedFiles() const;  // sorted, raw bytes
  // The lines of the user's own ignore file (core.excludesFile, or git's default place for it);
  // empty without one. For IgnoreRules::Load.
  absl::StatusOr<std::vector<std::string>> UserIgnorePatterns() const;
  // Of the working tree (or, `staged`, of the index) against HEAD or the empty tree; untracked
  // files left out; all or some paths. Paths are taken literally, here and below.
  absl::StatusOr<std::string> Diff(const std::vector<std::string>& paths, bool staged) const;
  absl::StatusOr<std::vector<GitCommit>> Log(int limit,
                                             const std::vector<std::string>& paths) const;
  absl::StatusOr<std::vector<std::string>> Branches() const;
  // Content of `path` at `revision`; NotFound when it is not there.
  absl::StatusOr<std::string> Show(const std::string& revision, const std::string& path) const;

  // Commits exactly the present content of `paths` (deletions included), nothing else that may be
  // staged. The repository's hooks run, behind the wrapper; if anything fails, the index is as it
  // was. An index that somebody else holds at the end stays behind, without an error. An error
  // does not mean that HEAD is where it was: a hook can end git after the commit was made.
  // FailedPrecondition when there is nothing to commit, a merge is under way, or the
  // repository's own settings name the program that should sign. Returns the new commit's id. If
  // the user has no identity configured, "Stile <stile@localhost>" is used.
  absl::StatusOr<std::string> Commit(const std::vector<std::string>& paths,
                                     const std::string& message) const;

  // The id of the tree that commit `base` ("": none) would have with the present content of `paths`
  // in it (those that are gone: left out). Nothing is written into the repository.
  absl::StatusOr<std::string> TreeWith(const std::string& base,
                                       const std::vector<std::string>& paths) const;

  // The same, with the tree and its contents written into the repository, where nothing refers to
  // them yet.
  absl::StatusOr<std::string> WriteTree(const std::string& base,
                                        const std::vector<std::string>& paths) const;

  // A commit of a tree, to which nothing refers yet; the same one for the same arguments. No hooks
  // run, and nobody signs it.
  absl::StatusOr<std::string> CommitTree(const std::string& tree,
                                         const std::vector<std::string>& parents,
                                         const std::string& message) const;

  // What `theirs` changed since the two commits were one, on top of `ours`. Nothing but objects is
  // written. No merge driver runs that the repository itself names. See CanMergeTrees.
  struct TreeMerge {
    std::string tree;                    // "" where there are conflicts
    std::vector<std::string> conflicts;  // paths, sorted
  };
  // FailedPrecondition, with the version that is needed, where git is too old for it.
  absl::Status CanMergeTrees() const;
  absl::StatusOr<TreeMerge> MergeTrees(const std::string& ours, const std::string& theirs) const;

  struct TreeChange {
    uint32_t before = 0;  // mode; 0: there is none
    uint32_t after = 0;
    std::string path;  // raw bytes
  };
  // Between two trees or commits; renames off.
  absl::StatusOr<std::vector<TreeChange>> CompareTrees(const std::string& before,
                                                       const std::string& after) const;
  // Writes these files of the tree into `folder`, an absolute path, as a checkout would: filtered,
  // with the line ends of this place.
  absl::Status CheckOutFiles(const std::string& tree, const std::vector<std::string>& paths,
                             const std::string& folder) const;

  // Puts the bytes as the note of `commit` under `ref` ("refs/notes/…"), in place of one that is
  // there. No hooks run. FailedPrecondition where the ref is not one for notes, or leads elsewhere.
  absl::Status AddNote(const std::string& ref, const std::string& commit,
                       const std::string& bytes) const;
  // nullopt: there is none. ResourceExhausted beyond `max_bytes`.
  absl::StatusOr<std::optional<std::string>> ReadNote(const std::string& ref,
                                                      const std::string& commit,
                                                      size_t max_bytes) const;

  // A second working tree at `folder` on the new branch `branch` from HEAD.
  absl::Status AddWorktree(const std::string& folder, const std::string& branch) const;
  // Detached, at `revision`.
  absl::Status AddDetachedWorktree(const std::string& folder, const std::string& revision) const;
  // With all that lies in it, also one that is not whole because git was killed while it made it.
  absl::Status RemoveWorktree(const std::string& folder) const;
  // The same for those below `folder` that are gone but for what git knows of them.
  absl::Status ForgetWorktrees(const std::string& folder) const;

  // Runs git with these arguments in the working tree; stdout on success. FailedPrecondition when
  // git exits with an error.
  absl::StatusOr<std::string> Run(const std::vector<std::string>& arguments,
                                  const std::string& stdin_text = "") const;

 private:
  Repository(ProcessRunner* runner, std::string git, std::string root, std::string git_dir);
  absl::StatusOr<ProcessResult> Execute(const std::vector<std::string>& arguments,
                                        const std::string& stdin_text, const Environment& extra_env,
                                        const Cancellation* cancellation = nullptr) const;
  absl::StatusOr<std::vector<std::string>> Wrapper() const;
  absl::StatusOr<Environment> WrappedFilters() const;
  absl::StatusOr<std::vector<std::string>> WithoutMergeDrivers() const;
  absl::StatusOr<std::string> WrappedHooks(const std::string& folder) const;
  absl::Status CheckSigning() const;
  absl::StatusOr<std::string> BuildTree(const Environment& env, const std::string& base,
                                        const std::vector<std::string>& paths) const;
  absl::StatusOr<std::string> RunIn(const Environment& extra_env,
                                    const std::vector<std::string>& arguments,
                                    const std::string& stdin_text) const;
  // stdout, or nullopt when git exits with 1, its way to say no.
  absl::StatusOr<std::optional<std::string>> Ask(const std::vector<std::string>& arguments) const;
  absl::StatusOr<std::string> HeadOrEmptyTree() const;
  absl::StatusOr<Environment> IdentityEnvironment() const;

  ProcessRunner* runner_;
  std::string git_;
  std::string root_;
  std::string git_dir_;
  GitRevision opened_at_;
  ProgramWrapper wrapper_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_GIT_REPOSITORY_H_

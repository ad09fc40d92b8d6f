#ifndef STILE_RUNTIME_SESSION_WORKSPACE_STATE_H_
#define STILE_RUNTIME_SESSION_WORKSPACE_STATE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/coverage/baseline.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/git/repository.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/ignore_rules.h"

namespace stile {

// Of a file whose content from before a run is kept though no commit holds it.
inline constexpr size_t kMaxKeptBytes = size_t{8} << 20;

// What version control says of a workspace before a run: what is ignored, what is tracked, and what
// already differs from the last commit. Without git the defaults hold and nothing counts as
// inherited.
struct WorkspaceState {
  std::optional<Repository> repository;
  std::string prefix;       // of the workspace within the repository, "" or "sub/folder/"
  std::string base_commit;  // "" before the first commit or without git
  std::string base_tree;    // of that commit; "": not known
  IgnoreRules rules;
  // Paths (relative to the workspace) that differ from base_commit, with the content there;
  // nullopt: not in the commit.
  std::map<std::string, std::optional<Sha256Digest>> differing;
  // Paths (relative to the workspace) in git's index, sorted. A submodule is one path; its files,
  // and those of an inner repository, are in neither list.
  std::vector<std::string> tracked;
};

// Of a workspace within the working tree of `git`, see WorkspaceState::prefix.
std::string PrefixOf(const std::string& workspace, const Repository& git);
// The files of that workspace that git tracks, relative to it, sorted, raw bytes.
absl::StatusOr<std::vector<std::string>> TrackedIn(const Repository& git,
                                                   const std::string& workspace);

// What belongs to the workspace whatever ignore rules say by now.
struct NeverIgnored {
  std::vector<std::string> paths;
  std::vector<std::string> source_folders;  // see FindSourceFolders; without git
};
// What is known of the workspace from earlier runs.
NeverIgnored NeverIgnoredBy(const WorkspaceMemory& memory);

// `is_watched` limits whose old content is read. A folder that is no repository is fine; a broken
// repository is an error. `wrapper`: see
// Repository::Open.
absl::StatusOr<WorkspaceState> InspectWorkspace(
    ProcessRunner* runner, ProgramWrapper wrapper, const std::string& workspace,
    const std::function<bool(const std::string&)>& is_watched, const NeverIgnored& never_ignored);

// The same without a look at what differs, `base_commit` and `differing` empty: no program that a
// repository names runs.
absl::StatusOr<WorkspaceState> DescribeWorkspace(ProcessRunner* runner,
                                                 const std::string& workspace,
                                                 const NeverIgnored& never_ignored);

// WorkspaceState::differing as text, for the process that goes on with a session: what differed
// when it began, whatever has been committed since. DataLoss: the text is damaged.
std::string SerializeDiffering(const std::map<std::string, std::optional<Sha256Digest>>& differing);
absl::StatusOr<std::map<std::string, std::optional<Sha256Digest>>> ParseDiffering(
    absl::string_view text);

// Root of the repository that `folder` (existing) lies in, absolute, no symlinks; "" without one.
std::string RepositoryRoot(ProcessRunner* runner, const std::string& folder);

// The rules alone: no program that a repository names runs.
absl::StatusOr<IgnoreRules> InspectIgnoreRules(ProcessRunner* runner, const std::string& workspace,
                                               const NeverIgnored& never_ignored);

// Contents by hash from the blob store, from the file if it still has that content, or from git.
class StoredBaselineContent : public BaselineContent {
 public:
  // None owned.
  StoredBaselineContent(std::string workspace, BlobStore* blobs, const WorkspaceState* state);
  absl::StatusOr<std::string> Read(const FileRecord& file) override;
  absl::Status Keep(const FileRecord& file) override;

 private:
  std::string workspace_;
  BlobStore* blobs_;
  const WorkspaceState* state_;
};

// Puts into the store what could not be had again after a change: contents that no commit of the
// repository holds, those of inner repositories and submodules among them. Files over
// `max_file_bytes` are left out; their changes can be shown but not undone.
absl::Status KeepUncommitted(const Snapshot& baseline, const WorkspaceState& state,
                             StoredBaselineContent* content, BlobStore* blobs,
                             size_t max_file_bytes = kMaxKeptBytes);

// How a path changed, as run folders keep it; null: there was, or is, no file.
RecordedChange ChangeBetween(const std::string& path, const FileRecord* before,
                             const FileRecord* after);

// The same for paths that differ between two snapshots, with both contents of each in the store, as
// far as they can be had.
absl::StatusOr<std::vector<RecordedChange>> KeepChanges(const std::vector<FileChange>& differing,
                                                        const Snapshot& before,
                                                        const Snapshot& after,
                                                        StoredBaselineContent* content);

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_WORKSPACE_STATE_H_

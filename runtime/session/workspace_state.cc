#include "runtime/session/workspace_state.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <future>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/session/source_folders.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

std::string PrefixOf(const std::string& workspace, const Repository& git) {
  if (git.root() == workspace) return "";
  return absl::StrCat(workspace.substr(git.root() == "/" ? 1 : git.root().size() + 1), "/");
}

absl::StatusOr<std::vector<std::string>> TrackedIn(const Repository& git,
                                                   const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> all, git.TrackedFiles());
  const std::string prefix = PrefixOf(workspace, git);
  if (prefix.empty()) return all;
  std::vector<std::string> inside;
  for (const std::string& path : all) {
    if (absl::StartsWith(path, prefix)) inside.push_back(path.substr(prefix.size()));
  }
  return inside;
}

namespace {

// Content of a regular file or the text of a link, as a FileRecord's hash covers it.
absl::StatusOr<std::string> ReadRecorded(const std::string& path, FileRecord::Kind kind) {
  if (kind == FileRecord::Kind::kSymlink) return ReadLink(path);
  return DiskFileSystem()->ReadFile(path, kMaxFileBytes);
}

// Null where the workspace is in none; a broken one is an error.
absl::StatusOr<std::optional<Repository>> RepositoryOf(ProcessRunner* runner,
                                                       const std::string& workspace,
                                                       ProgramWrapper wrapper) {
  absl::StatusOr<Repository> repository = Repository::Open(runner, workspace, std::move(wrapper));
  if (absl::IsFailedPrecondition(repository.status()) || absl::IsNotFound(repository.status())) {
    return std::nullopt;
  }
  STILE_RETURN_IF_ERROR(repository.status());
  return *std::move(repository);
}

// Sets `tracked` and `rules`.
absl::Status LoadRules(const std::string& workspace, const NeverIgnored& never_ignored,
                       WorkspaceState* state) {
  std::vector<std::string> patterns = DefaultIgnorePatterns();
  for (const std::string& folder : never_ignored.source_folders) {
    patterns.push_back(PatternThatKeeps(folder));
  }
  std::vector<std::string> inside = never_ignored.paths;
  if (state->repository.has_value()) {
    auto own =
        std::async(kAsyncIfPossible, [&] { return state->repository->UserIgnorePatterns(); });
    auto tracked = TrackedIn(*state->repository, workspace);
    auto ignored = own.get();
    STILE_ASSIGN_OR_RETURN(state->tracked, std::move(tracked));
    STILE_ASSIGN_OR_RETURN(patterns, std::move(ignored));
    inside.insert(inside.end(), state->tracked.begin(), state->tracked.end());
  }
  STILE_ASSIGN_OR_RETURN(state->rules, IgnoreRules::Load(workspace, patterns, inside));
  return absl::OkStatus();
}

}  // namespace

NeverIgnored NeverIgnoredBy(const WorkspaceMemory& memory) {
  NeverIgnored never_ignored;
  for (const auto& [path, hash] : memory.pending) never_ignored.paths.push_back(path);
  never_ignored.source_folders = memory.source_folders;
  return never_ignored;
}

std::string RepositoryRoot(ProcessRunner* runner, const std::string& folder) {
  const absl::StatusOr<Repository> repository = Repository::Open(runner, folder);
  return repository.ok() ? repository->root() : "";
}

absl::StatusOr<IgnoreRules> InspectIgnoreRules(ProcessRunner* runner, const std::string& workspace,
                                               const NeverIgnored& never_ignored) {
  STILE_ASSIGN_OR_RETURN(WorkspaceState state, DescribeWorkspace(runner, workspace, never_ignored));
  return std::move(state.rules);
}

absl::StatusOr<WorkspaceState> DescribeWorkspace(ProcessRunner* runner,
                                                 const std::string& workspace,
                                                 const NeverIgnored& never_ignored) {
  WorkspaceState state;
  STILE_ASSIGN_OR_RETURN(state.repository, RepositoryOf(runner, workspace, nullptr));
  if (state.repository.has_value()) state.prefix = PrefixOf(workspace, *state.repository);
  STILE_RETURN_IF_ERROR(LoadRules(workspace, never_ignored, &state));
  return state;
}

absl::StatusOr<WorkspaceState> InspectWorkspace(
    ProcessRunner* runner, ProgramWrapper wrapper, const std::string& workspace,
    const std::function<bool(const std::string&)>& is_watched, const NeverIgnored& never_ignored) {
  WorkspaceState state;
  STILE_ASSIGN_OR_RETURN(state.repository, RepositoryOf(runner, workspace, std::move(wrapper)));
  if (!state.repository.has_value()) {
    STILE_RETURN_IF_ERROR(LoadRules(workspace, never_ignored, &state));
    return state;
  }
  const Repository& git = *state.repository;
  state.prefix = PrefixOf(workspace, git);
  // Programs that know nothing of each other. The first can wait forever for an ignore file that is
  // a FIFO, which the rules cannot be read from either.
  Cancellation stop;
  auto status = std::async(kAsyncIfPossible, [&] { return git.Status(&stop); });
  const absl::Status rules = LoadRules(workspace, never_ignored, &state);
  if (!rules.ok()) stop.Cancel();
  const absl::StatusOr<GitStatus> found = status.get();
  STILE_RETURN_IF_ERROR(rules);
  STILE_RETURN_IF_ERROR(found.status());
  state.base_commit = found->commit;
  state.base_tree = git.opened_at().tree;
  if (state.base_commit != git.opened_at().commit) {  // a commit since then
    STILE_ASSIGN_OR_RETURN(state.base_tree, git.TreeWith(state.base_commit, {}));
  }

  for (const GitStatusEntry& entry : found->entries) {
    if (!absl::StartsWith(entry.path, state.prefix)) continue;
    const std::string path = entry.path.substr(state.prefix.size());
    std::optional<Sha256Digest>& good = state.differing[path];
    if (state.base_commit.empty() || !is_watched(path)) continue;
    const auto committed = git.Show(state.base_commit, entry.path);
    if (committed.ok()) good = Sha256Of(*committed);
  }
  return state;
}

std::string SerializeDiffering(
    const std::map<std::string, std::optional<Sha256Digest>>& differing) {
  Json list = Json::array();
  for (const auto& [path, content] : differing) {
    list.push_back({Base64Encode(path), content.has_value() ? ToHex(*content) : ""});
  }
  return DumpJson(list);
}

absl::StatusOr<std::map<std::string, std::optional<Sha256Digest>>> ParseDiffering(
    absl::string_view text) {
  const absl::StatusOr<Json> list = ParseJson(text);
  const absl::Status damaged = absl::DataLossError("what differed at the beginning is damaged");
  if (!list.ok() || !list->is_array()) return damaged;
  std::map<std::string, std::optional<Sha256Digest>> differing;
  for (const Json& entry : *list) {
    const bool is_entry =
        entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string();
    if (!is_entry) return damaged;
    const auto path = Base64Decode(entry[0].get<std::string>());
    const std::string bytes = absl::HexStringToBytes(entry[1].get<std::string>());
    if (!path.ok() || (!bytes.empty() && bytes.size() != Sha256Digest().size())) return damaged;
    std::optional<Sha256Digest>& content = differing[*path];
    if (!bytes.empty()) std::copy(bytes.begin(), bytes.end(), content.emplace().begin());
  }
  return differing;
}

StoredBaselineContent::StoredBaselineContent(std::string workspace, BlobStore* blobs,
                                             const WorkspaceState* state)
    : workspace_(std::move(workspace)), blobs_(blobs), state_(state) {}

absl::StatusOr<std::string> StoredBaselineContent::Read(const FileRecord& file) {
  if (blobs_->Has(file.hash)) return blobs_->Get(file.hash);
  auto on_disk = ReadRecorded(JoinPath(workspace_, file.path), file.kind);
  if (on_disk.ok() && Sha256Of(*on_disk) == file.hash) return on_disk;
  if (state_->repository.has_value() && !state_->base_commit.empty()) {
    auto committed =
        state_->repository->Show(state_->base_commit, absl::StrCat(state_->prefix, file.path));
    if (committed.ok() && Sha256Of(*committed) == file.hash) return committed;
  }
  return absl::NotFoundError(absl::StrCat("the earlier content of ", file.path, " was not kept"));
}

absl::Status StoredBaselineContent::Keep(const FileRecord& file) {
  if (blobs_->Has(file.hash)) return absl::OkStatus();
  const auto content = Read(file);
  if (absl::IsNotFound(content.status())) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(content.status());
  return blobs_->Put(*content).status();
}

absl::Status KeepUncommitted(const Snapshot& baseline, const WorkspaceState& state,
                             StoredBaselineContent* content, BlobStore* blobs,
                             size_t max_file_bytes) {
  const bool all = state.base_commit.empty();
  for (const FileRecord& file : baseline.files()) {
    if (file.kind == FileRecord::Kind::kSpecial || file.size > max_file_bytes) continue;
    const bool is_committed =
        !all && state.differing.count(file.path) == 0 &&
        std::binary_search(state.tracked.begin(), state.tracked.end(), file.path);
    if (is_committed) continue;
    if (!blobs->Has(file.hash)) STILE_RETURN_IF_ERROR(content->Keep(file));
  }
  return absl::OkStatus();
}

RecordedChange ChangeBetween(const std::string& path, const FileRecord* before,
                             const FileRecord* after) {
  RecordedChange change;
  change.path = path;
  if (before != nullptr) {
    change.before = before->hash;
    change.before_mode = before->mode;
  }
  if (after != nullptr) {
    change.after = after->hash;
    change.after_mode = after->mode;
  }
  return change;
}

absl::StatusOr<std::vector<RecordedChange>> KeepChanges(const std::vector<FileChange>& differing,
                                                        const Snapshot& before,
                                                        const Snapshot& after,
                                                        StoredBaselineContent* content) {
  std::vector<RecordedChange> changes;
  for (const FileChange& difference : differing) {
    const FileRecord* const old = before.Find(difference.path);
    const FileRecord* const now = after.Find(difference.path);
    if (old != nullptr) STILE_RETURN_IF_ERROR(content->Keep(*old));
    if (now != nullptr) STILE_RETURN_IF_ERROR(content->Keep(*now));
    changes.push_back(ChangeBetween(difference.path, old, now));
  }
  return changes;
}

}  // namespace stile

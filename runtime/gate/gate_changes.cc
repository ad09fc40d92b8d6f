#include "runtime/gate/gate_changes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/files_now.h"
#include "runtime/gate/gate_observation.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr uint64_t kMaxSettingsBytes = uint64_t{1} << 20;  // more is a table of data

uint64_t SizeOf(const FileRecord* file) { return file == nullptr ? 0 : file->size; }

}  // namespace

absl::StatusOr<std::vector<ContentPair>> ChangedContents(GateState* gate) {
  std::vector<ContentPair> changes;
  // What the user has not committed is the user's own to weaken.
  for (const FileChange& change : DiffSnapshots(gate->pre_run_snapshot, gate->current)) {
    const FileRecord* before = gate->pre_run_snapshot.Find(change.path);
    const FileRecord* after = gate->current.Find(change.path);
    const bool watched =
        IsWatched(change.path, *gate->options.languages, gate->options.settings.watch);
    const bool is_read = gate->options.weakening != nullptr &&
                         gate->options.weakening->Reads(change.path) &&
                         SizeOf(before) <= kMaxSettingsBytes && SizeOf(after) <= kMaxSettingsBytes;
    if (!watched && !is_read) continue;
    // A project that was removed takes its tests along.
    if (after == nullptr && BelongsToRemovedTarget(*gate, change.path)) continue;
    ContentPair pair;
    pair.path = change.path;
    if (before != nullptr && before->kind == FileRecord::Kind::kRegular) {
      absl::StatusOr<std::string> content = gate->options.baseline_content->Read(*before);
      // Only watched files are kept where no commit has them.
      if (!watched && absl::IsNotFound(content.status())) continue;
      STILE_RETURN_IF_ERROR(content.status());
      pair.before = *std::move(content);
    }
    if (after != nullptr && after->kind == FileRecord::Kind::kRegular) {
      STILE_ASSIGN_OR_RETURN(pair.after,
                             gate->options.file_system->ReadFile(
                                 JoinPath(gate->options.workspace, change.path), kMaxFileBytes));
    }
    changes.push_back(std::move(pair));
  }
  return changes;
}

absl::StatusOr<std::vector<ContentPair>> AllChangedContents(const GateState& gate) {
  constexpr size_t kMaxBytes = size_t{16} << 20;  // of one file
  std::vector<ContentPair> changes;
  for (const FileChange& change : DiffSnapshots(gate.pre_run_snapshot, gate.current)) {
    const FileRecord* before = gate.pre_run_snapshot.Find(change.path);
    const FileRecord* after = gate.current.Find(change.path);
    const auto fits = [](const FileRecord* file) {
      return file == nullptr ||
             (file->kind == FileRecord::Kind::kRegular && file->size <= kMaxBytes);
    };
    if (IsOutputOfValidator(gate, change.path) || !fits(before) || !fits(after)) continue;
    if (after == nullptr && BelongsToRemovedTarget(gate, change.path)) continue;
    ContentPair pair;
    pair.path = change.path;
    if (before != nullptr) {
      absl::StatusOr<std::string> content = gate.options.baseline_content->Read(*before);
      if (absl::IsNotFound(content.status())) continue;
      STILE_RETURN_IF_ERROR(content.status());
      pair.before = *std::move(content);
    }
    if (after != nullptr) {
      absl::StatusOr<std::string> content = gate.options.file_system->ReadFile(
          JoinPath(gate.options.workspace, change.path), kMaxBytes);
      if (!content.ok()) continue;  // gone by now
      pair.after = *std::move(content);
    }
    changes.push_back(std::move(pair));
  }
  return changes;
}

bool BelongsToRemovedTarget(const GateState& gate, const std::string& path) {
  bool of_removed = false;
  for (const auto& [key, state] : gate.states) {
    if (!state.at_start.has_value()) continue;
    const auto& files = state.at_start->project.files;
    if (!std::binary_search(files.begin(), files.end(), path)) continue;
    if (gate.map.Find(key) != nullptr) return false;
    of_removed = true;
  }
  return of_removed;
}

absl::StatusOr<std::vector<Weakening>> FindWeakenings(GateState* gate) {
  if (gate->options.weakening == nullptr) return std::vector<Weakening>();
  STILE_ASSIGN_OR_RETURN(const std::vector<ContentPair> changes, ChangedContents(gate));
  return gate->options.weakening->Compare(
      changes, FilesNow(gate->current, gate->options.file_system, gate->options.workspace));
}

}  // namespace stile

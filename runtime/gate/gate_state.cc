#include "runtime/gate/gate_state.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/gate/clean_environment.h"
#include "runtime/gate/gate_observation.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

absl::string_view ChangeName(FileChange::Kind kind) {
  switch (kind) {
    case FileChange::Kind::kAdded:
      return "added";
    case FileChange::Kind::kModified:
      return "modified";
    case FileChange::Kind::kDeleted:
      return "deleted";
  }
  return "";
}

}  // namespace

static absl::Status NotePending(GateState* gate, const std::vector<FileChange>& changes);

GateState::GateState(GateOptions gate_options)
    : options(std::move(gate_options)),
      clean_environment(CleanEnvironment(options.environment)),
      taker(options.workspace, options.ignore_rules, options.clock),
      tracker(options.settings.max_failures),
      memory_file(WorkspaceMemoryFile(options.state_dir)) {}

const Target* GateState::AtStart(const TargetKey& key) const {
  const auto found = states.find(key);
  if (found == states.end() || !found->second.at_start.has_value()) return nullptr;
  return &*found->second.at_start;
}

TargetMap BuildMap(const GateState& gate, const Snapshot& snapshot) {
  return TargetMap::Build(gate.options.workspace, snapshot, *gate.options.languages,
                          *gate.options.validators, gate.options.settings.watch,
                          gate.validator_outputs);
}

Snapshot ReferenceSnapshot(const GateState& gate, bool inherited) {
  std::map<std::string, std::optional<Sha256Digest>> good = gate.memory.pending;
  for (const auto& [path, hash] : gate.options.inherited) {
    if (inherited && IsWatched(path, *gate.options.languages, gate.options.settings.watch)) {
      good.emplace(path, hash);
    }
  }
  if (good.empty()) return gate.baseline;
  std::vector<FileRecord> files;
  for (const FileRecord& file : gate.baseline.files()) {
    const auto it = good.find(file.path);
    if (it == good.end()) {
      files.push_back(file);
    } else if (it->second.has_value()) {
      files.push_back(file);
      files.back().hash = *it->second;
    }
  }
  for (const auto& [path, hash] : good) {
    if (!hash.has_value() || gate.baseline.Contains(path)) continue;
    FileRecord deleted;
    deleted.path = path;
    deleted.mode = 0100644;
    deleted.hash = *hash;
    files.push_back(std::move(deleted));
  }
  std::sort(files.begin(), files.end(),
            [](const FileRecord& a, const FileRecord& b) { return a.path < b.path; });
  return Snapshot(std::move(files), gate.baseline.taken_at_ns());
}

void SetReferences(GateState* gate) {
  const bool same = DiffSnapshots(gate->accepted_snapshot, gate->current).empty();
  const TargetMap reference_map = same ? gate->map : BuildMap(*gate, gate->accepted_snapshot);
  for (const Target& target : reference_map.targets()) {
    gate->tracker.SetReference(target.key, target.inputs);
    gate->StateOf(target.key).at_start = target;
  }
  for (const Target& target : gate->map.targets()) {
    if (gate->memory.Covers(target.key, target.inputs))
      gate->tracker.SetReference(target.key, target.inputs);
    if (gate->AtStart(target.key) == nullptr) gate->StateOf(target.key).at_start = target;
  }
  for (const auto& [key, verdict] : gate->memory.refusals) gate->tracker.RecordNoPass(key, verdict);
}

void NoteMissingPackages(GateState* gate) {
  const auto note = [&](absl::string_view root) {
    const std::string folder = JoinPath(root, "node_modules");
    std::error_code error;
    const auto status =
        std::filesystem::symlink_status(JoinPath(gate->options.workspace, folder), error);
    if (status.type() == std::filesystem::file_type::not_found)
      gate->without_packages.insert(folder);
  };
  note("");
  for (const auto& [key, state] : gate->states) {
    if (state.at_start.has_value()) note(state.at_start->project.root);
  }
}

absl::StatusOr<std::vector<FileChange>> RefreshWorkspace(GateState* gate) {
  STILE_ASSIGN_OR_RETURN(Snapshot now, gate->taker.Take(gate->current));
  std::vector<FileChange> changes = DiffSnapshots(gate->current, now);
  gate->current = std::move(now);
  if (!changes.empty() || gate->map.reads_unseen()) gate->map = BuildMap(*gate, gate->current);
  if (changes.empty()) return changes;
  if (gate->options.remembers_changes) STILE_RETURN_IF_ERROR(NotePending(gate, changes));
  if (gate->options.events != nullptr) {
    Json list = Json::array();
    for (const FileChange& change : changes) {
      Json item = {{"kind", std::string(ChangeName(change.kind))}, {"path", ToUtf8(change.path)}};
      const FileRecord* const file = gate->current.Find(change.path);
      if (file != nullptr) item["sha256"] = ToHex(file->hash);
      list.push_back(std::move(item));
    }
    gate->options.events->Emit(WorkspaceChangedEvent{std::move(list), gate->current.RootHash()});
  }
  return changes;
}

// Of the changes; nothing is written if they are known.
static absl::Status NotePending(GateState* gate, const std::vector<FileChange>& changes) {
  bool more = false;
  for (const FileChange& change : changes) {
    if (!IsWatched(change.path, *gate->options.languages, gate->options.settings.watch)) continue;
    more |= gate->saved_pending.insert(change.path).second;
  }
  return more ? SavePending(gate) : absl::OkStatus();
}

absl::Status SavePending(GateState* gate) {
  WorkspaceMemory memory = gate->memory;
  std::swap(memory, gate->memory);
  absl::Status status;
  for (const std::string& path : gate->saved_pending) {
    if (status.ok()) status = AddPending(gate, path);
  }
  std::swap(memory, gate->memory);  // what counts at the end is decided by Close
  memory.refusals = LastingRefusals(*gate);
  if (status.ok())
    status = SaveWorkspaceMemory(gate->options.file_system, gate->memory_file, memory);
  return status;
}

absl::Status AddPending(GateState* gate, const std::string& path) {
  const FileRecord* good = gate->accepted_snapshot.Find(path);
  gate->memory.pending.emplace(
      path, good == nullptr ? std::nullopt : std::optional<Sha256Digest>(good->hash));
  return good == nullptr ? absl::OkStatus() : gate->options.baseline_content->Keep(*good);
}

std::vector<FileChange> ChangesSinceStart(const GateState& gate) {
  std::vector<FileChange> changes = DiffSnapshots(gate.baseline, gate.current);
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [&](const FileChange& change) {
                                 return gate.validator_outputs.count(change.path) > 0;
                               }),
                changes.end());
  return changes;
}

Snapshot SnapshotWithoutOutputs(const GateState& gate) {
  if (gate.validator_outputs.empty()) return gate.current;
  std::vector<FileRecord> files;
  for (const FileRecord& file : gate.current.files()) {
    if (gate.validator_outputs.count(file.path) == 0) files.push_back(file);
  }
  return Snapshot(std::move(files));
}

const Toolchain& ToolchainOf(GateState* gate, const Target& target) {
  std::optional<Toolchain>& known = gate->StateOf(target.key).toolchain;
  if (!known.has_value()) {
    known = target.validator->Probe(target.project, gate->clean_environment, gate->options.runner);
  }
  return *known;
}

std::vector<std::string> DirtyPaths(const GateState& gate, const Target& target) {
  std::vector<std::string> paths = gate.tracker.Dirty(target.key, target.inputs);
  if (!paths.empty()) return paths;
  if (!gate.tracker.HasPassed(target.key, target.inputs)) return ChangedReads(gate, target);
  const ReadSet& read = gate.StateOf(target.key).read;
  for (const auto& [path, stamp] : read.files) {
    if (!IsUnchanged(JoinPath(gate.options.workspace, path), stamp)) paths.push_back(path);
  }
  for (std::string& path : AppearedFor(gate, target, read)) {
    paths.push_back(std::move(path));
  }
  return paths;
}

bool IsRefused(const GateState& gate, const TargetKey& target) {
  if (!gate.tracker.RefusalOf(target).has_value()) return false;
  const std::vector<FileChange> changes = DiffSnapshots(gate.accepted_snapshot, gate.current);
  return std::any_of(changes.begin(), changes.end(), [&](const FileChange& change) {
    return gate.validator_outputs.count(change.path) == 0;
  });
}

std::map<TargetKey, Verdict> LastingRefusals(const GateState& gate) {
  std::map<TargetKey, Verdict> lasting;
  for (const auto& [key, verdict] : gate.tracker.Refusals()) {
    if (verdict != Verdict::kInfraError && IsRefused(gate, key)) lasting.emplace(key, verdict);
  }
  return lasting;
}

Json EvidenceOf(const GateState& gate) {
  Json list = Json::array();
  for (const auto& [key, state] : gate.states) {
    const Target* target = gate.map.Find(key);
    if (target != nullptr && state.evidence.has_value() &&
        gate.tracker.HasPassed(key, target->inputs)) {
      list.push_back(*state.evidence);
    }
  }
  return list;
}

}  // namespace stile

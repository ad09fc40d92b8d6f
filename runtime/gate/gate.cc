#include "runtime/gate/gate.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/allowance.h"
#include "runtime/gate/clean_environment.h"
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

Json ToJson(const GateSettings& settings) {
  const bool enforce = settings.mode == GateSettings::Mode::kEnforce;
  const bool reject_on_finish = settings.on_finish == GateSettings::OnFinish::kReject;
  const bool reject = settings.no_validator == GateSettings::Policy::kReject;
  const bool reject_weakening = settings.weakening == GateSettings::Policy::kReject;
  const bool reject_uncovered = settings.uncovered == GateSettings::Policy::kReject;
  const char* baseline = "";
  switch (settings.baseline) {
    case GateSettings::Baseline::kAuto:
      baseline = "auto";
      break;
    case GateSettings::Baseline::kStrict:
      baseline = "strict";
      break;
    case GateSettings::Baseline::kNoNewErrors:
      baseline = "no_new_errors";
      break;
  }
  const char* coverage = "";
  switch (settings.coverage) {
    case GateSettings::Coverage::kListing:
      coverage = "listing";
      break;
    case GateSettings::Coverage::kCanary:
      coverage = "canary";
      break;
    case GateSettings::Coverage::kOff:
      coverage = "off";
      break;
  }
  Json json = {{"mode", enforce ? "enforce" : "observe"},
               {"level", std::string(LevelName(settings.level))},
               {"on_finish", reject_on_finish ? "reject" : "validate"},
               {"max_failures", settings.max_failures},
               {"max_infra_errors", settings.max_infra_errors},
               {"baseline", baseline},
               {"no_validator", reject ? "reject" : "report"},
               {"coverage", coverage},
               {"uncovered", reject_uncovered ? "reject" : "report"},
               {"weakening", reject_weakening ? "reject" : "report"},
               {"allow_flaky", settings.allow_flaky},
               {"watch", settings.watch}};
  // Left out where the task names none: certificates of earlier versions have no such field.
  if (!settings.expect_tests.empty()) json["expect_tests"] = settings.expect_tests;
  for (const Allowance& allowance : settings.allow) {
    json["allow"].push_back(ToUtf8(AllowanceText(allowance)));
  }
  return json;
}

Gate::Gate(GateOptions options)
    : options_(std::move(options)),
      clean_environment_(CleanEnvironment(options_.environment)),
      taker_(options_.workspace, options_.ignore_rules, options_.clock),
      tracker_(options_.settings.max_failures),
      memory_file_(WorkspaceMemoryFile(options_.state_dir)) {}

absl::StatusOr<std::unique_ptr<Gate>> Gate::Start(GateOptions options) {
  auto gate = std::unique_ptr<Gate>(new Gate(std::move(options)));
  GateOptions& o = gate->options_;
  if (!o.settings.expect_tests.empty()) o.settings.level = Level::kTest;
  STILE_RETURN_IF_ERROR(o.file_system->MakeDirs(o.state_dir));
  gate->memory_ = LoadWorkspaceMemory(o.file_system, gate->memory_file_);
  STILE_ASSIGN_OR_RETURN(gate->current_, gate->taker_.Take(o.baseline.value_or(Snapshot())));
  gate->baseline_ = o.baseline.value_or(gate->current_);
  gate->accepted_snapshot_ = gate->ReferenceSnapshot(/*inherited=*/true);
  gate->pre_run_snapshot_ = gate->ReferenceSnapshot(/*inherited=*/false);
  gate->map_ = gate->BuildMap(gate->current_);
  gate->SetReferences();
  if (!o.baseline.has_value()) gate->NoteMissingPackages();
  const auto is_output = [self = gate.get()](const std::string& path) {
    return self->IsOutput(path);
  };
  const auto is_read = [self = gate.get()](const std::string& path) { return self->IsFound(path); };
  const auto state_dir_of = [self = gate.get()](const Validator& validator,
                                                const Project& project) {
    return self->OwnStateDir(validator, project);
  };
  gate->scratch_ = {o.workspace,     is_output,
                    is_read,         JoinPath(o.state_dir, "scratch"),
                    &o.ignore_rules, &gate->clean_environment_,
                    o.file_system,   o.runner,
                    o.clock,         o.cancellation,
                    state_dir_of};
  gate->coverage_ =
      std::make_unique<CoverageJudge>(gate->scratch_, o.languages, o.validators, o.conditions,
                                      &gate->accepted_snapshot_, o.baseline_content);
  return gate;
}

TargetMap Gate::BuildMap(const Snapshot& snapshot) const {
  return TargetMap::Build(options_.workspace, snapshot, *options_.languages, *options_.validators,
                          options_.settings.watch, validator_outputs_);
}

// The baseline with what earlier runs left behind taken back, and, with `inherited`, what was not
// committed: content of which no run has to answer for.
Snapshot Gate::ReferenceSnapshot(bool inherited) const {
  std::map<std::string, std::optional<Sha256Digest>> good = memory_.pending;
  for (const auto& [path, hash] : options_.inherited) {
    if (inherited && IsWatched(path, *options_.languages, options_.settings.watch)) {
      good.emplace(path, hash);
    }
  }
  if (good.empty()) return baseline_;
  std::vector<FileRecord> files;
  for (const FileRecord& file : baseline_.files()) {
    const auto it = good.find(file.path);
    if (it == good.end()) {
      files.push_back(file);
    } else if (it->second.has_value()) {
      files.push_back(file);
      files.back().hash = *it->second;
    }
  }
  for (const auto& [path, hash] : good) {
    if (!hash.has_value() || baseline_.Contains(path)) continue;
    FileRecord deleted;
    deleted.path = path;
    deleted.mode = 0100644;
    deleted.hash = *hash;
    files.push_back(std::move(deleted));
  }
  std::sort(files.begin(), files.end(),
            [](const FileRecord& a, const FileRecord& b) { return a.path < b.path; });
  return Snapshot(std::move(files), baseline_.taken_at_ns());
}

const Target* Gate::AtStart(const TargetKey& key) const {
  const auto found = states_.find(key);
  if (found == states_.end() || !found->second.at_start.has_value()) return nullptr;
  return &*found->second.at_start;
}

void Gate::SetReferences() {
  const bool same = DiffSnapshots(accepted_snapshot_, current_).empty();
  const TargetMap reference_map = same ? map_ : BuildMap(accepted_snapshot_);
  for (const Target& target : reference_map.targets()) {
    tracker_.SetReference(target.key, target.inputs);
    StateOf(target.key).at_start = target;
  }
  for (const Target& target : map_.targets()) {
    if (memory_.Covers(target.key, target.inputs)) tracker_.SetReference(target.key, target.inputs);
    if (AtStart(target.key) == nullptr) StateOf(target.key).at_start = target;
  }
  for (const auto& [key, verdict] : memory_.refusals) tracker_.RecordNoPass(key, verdict);
}

void Gate::NoteMissingPackages() {
  const auto note = [&](absl::string_view root) {
    const std::string folder = JoinPath(root, "node_modules");
    std::error_code error;
    const auto status =
        std::filesystem::symlink_status(JoinPath(options_.workspace, folder), error);
    if (status.type() == std::filesystem::file_type::not_found) without_packages_.insert(folder);
  };
  note("");
  for (const auto& [key, state] : states_) {
    if (state.at_start.has_value()) note(state.at_start->project.root);
  }
}

absl::StatusOr<std::vector<FileChange>> Gate::Refresh() {
  STILE_ASSIGN_OR_RETURN(Snapshot now, taker_.Take(current_));
  std::vector<FileChange> changes = DiffSnapshots(current_, now);
  current_ = std::move(now);
  if (!changes.empty() || map_.reads_unseen()) map_ = BuildMap(current_);
  if (changes.empty()) return changes;
  if (options_.remembers_changes) STILE_RETURN_IF_ERROR(SavePending(changes));
  if (options_.events != nullptr) {
    Json list = Json::array();
    for (const FileChange& change : changes) {
      Json item = {{"kind", std::string(ChangeName(change.kind))}, {"path", ToUtf8(change.path)}};
      const FileRecord* const file = current_.Find(change.path);
      if (file != nullptr) item["sha256"] = ToHex(file->hash);
      list.push_back(std::move(item));
    }
    options_.events->Emit(
        EventType::kWorkspaceChanged,
        {{"changes", std::move(list)}, {"workspace_sha256", current_.RootHash()}});
  }
  return changes;
}

// On disk before anything else happens, so that a run that is killed leaves no change behind for
// which nobody answers.
absl::Status Gate::SavePending(const std::vector<FileChange>& changes) {
  bool more = false;
  for (const FileChange& change : changes) {
    if (!IsWatched(change.path, *options_.languages, options_.settings.watch)) continue;
    more |= saved_pending_.insert(change.path).second;
  }
  return more ? SavePending() : absl::OkStatus();
}

absl::Status Gate::SavePending() {
  WorkspaceMemory memory = memory_;
  std::swap(memory, memory_);
  absl::Status status;
  for (const std::string& path : saved_pending_) {
    if (status.ok()) status = AddPending(path);
  }
  std::swap(memory, memory_);  // what counts at the end is decided by Close
  memory.refusals = LastingRefusals();
  if (status.ok()) status = SaveWorkspaceMemory(options_.file_system, memory_file_, memory);
  return status;
}

absl::Status Gate::AddPending(const std::string& path) {
  const FileRecord* good = accepted_snapshot_.Find(path);
  memory_.pending.emplace(path,
                          good == nullptr ? std::nullopt : std::optional<Sha256Digest>(good->hash));
  return good == nullptr ? absl::OkStatus() : options_.baseline_content->Keep(*good);
}

std::vector<FileChange> Gate::Changes() const {
  std::vector<FileChange> changes = DiffSnapshots(baseline_, current_);
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [&](const FileChange& change) {
                                 return validator_outputs_.count(change.path) > 0;
                               }),
                changes.end());
  return changes;
}

Snapshot Gate::WithoutOutputs() const {
  if (validator_outputs_.empty()) return current_;
  std::vector<FileRecord> files;
  for (const FileRecord& file : current_.files()) {
    if (validator_outputs_.count(file.path) == 0) files.push_back(file);
  }
  return Snapshot(std::move(files));
}

const Toolchain& Gate::ToolchainOf(const Target& target) {
  std::optional<Toolchain>& known = StateOf(target.key).toolchain;
  if (!known.has_value()) {
    known = target.validator->Probe(target.project, clean_environment_, options_.runner);
  }
  return *known;
}

// What differs from the last pass or the reference. A pass also depends on what it read besides.
std::vector<std::string> Gate::DirtyPaths(const Target& target) const {
  std::vector<std::string> paths = tracker_.Dirty(target.key, target.inputs);
  if (!paths.empty()) return paths;
  if (!tracker_.HasPassed(target.key, target.inputs)) return ChangedReads(target);
  const ReadSet& read = StateOf(target.key).read;
  for (const auto& [path, stamp] : read.files) {
    if (!IsUnchanged(JoinPath(options_.workspace, path), stamp)) paths.push_back(path);
  }
  for (std::string& path : AppearedFor(target, read)) {
    paths.push_back(std::move(path));
  }
  return paths;
}

// A target that was refused stays so unless nothing is left of what the run has changed.
bool Gate::IsRefused(const TargetKey& target) const {
  if (!tracker_.RefusalOf(target).has_value()) return false;
  const std::vector<FileChange> changes = DiffSnapshots(accepted_snapshot_, current_);
  return std::any_of(changes.begin(), changes.end(), [&](const FileChange& change) {
    return validator_outputs_.count(change.path) == 0;
  });
}

// Those that the next run in this workspace has to answer for: an infra_error says nothing of the
// code, and what caused it may be over by then.
std::map<TargetKey, Verdict> Gate::LastingRefusals() const {
  std::map<TargetKey, Verdict> lasting;
  for (const auto& [key, verdict] : tracker_.Refusals()) {
    if (verdict != Verdict::kInfraError && IsRefused(key)) lasting.emplace(key, verdict);
  }
  return lasting;
}

void Gate::Restore(const PastValidations& past) {
  validator_outputs_ = past.outputs;
  map_ = BuildMap(current_);
  for (const auto& [key, verdict] : past.refusals) tracker_.RecordNoPass(key, verdict);
  for (const Target& target : map_.targets()) {
    // Which edits were there at the failure is not known: all of them came later.
    if (target.level == Level::kTest && past.refusals.count(target.key) > 0) {
      red_tests_.RecordFailure(target.key, target.project.root, {});
      red_tests_.RecordTexts(target.project.root, {});
    }
    const auto pass = past.passes.find(target.key);
    if (pass == past.passes.end()) continue;
    if (JsonString(pass->second, "inputs_sha256") == ContentFingerprint(target.inputs)) {
      tracker_.RecordPass(target.key, target.inputs);
      StateOf(target.key).evidence = pass->second;
    }
  }
  tracker_.set_failures(past.failures, past.failed_validations);
  infra_errors_ = past.infra_errors;
}

absl::Status Gate::RevalidatePassed() {
  std::vector<TargetKey> passed;
  for (const Target& target : map_.targets()) {
    if (tracker_.HasPassed(target.key, target.inputs)) passed.push_back(target.key);
  }
  for (const TargetKey& key : passed) {
    STILE_RETURN_IF_ERROR(ValidateTarget(key, /*force_cold=*/true).status());
  }
  return absl::OkStatus();
}

absl::Status Gate::Close(bool accepted) {
  STILE_RETURN_IF_ERROR(Refresh().status());
  if (accepted) {
    memory_.pending.clear();
    for (const Target& target : map_.targets()) {
      if (tracker_.HasPassed(target.key, target.inputs)) memory_.Accept(target.key, target.inputs);
    }
  } else {
    for (const Blocker& open : UnvalidatedTargets()) {
      for (const std::string& path : open.paths) STILE_RETURN_IF_ERROR(AddPending(path));
    }
  }
  memory_.refusals = LastingRefusals();
  return SaveWorkspaceMemory(options_.file_system, memory_file_, memory_);
}

Json Gate::Evidence() const {
  Json list = Json::array();
  for (const auto& [key, state] : states_) {
    const Target* target = map_.Find(key);
    if (target != nullptr && state.evidence.has_value() &&
        tracker_.HasPassed(key, target->inputs)) {
      list.push_back(*state.evidence);
    }
  }
  return list;
}

}  // namespace stile

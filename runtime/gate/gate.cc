#include "runtime/gate/gate.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
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

bool IsRequired(Level level, const GateSettings& settings) {
  return level == Level::kBuild || settings.level == Level::kTest;
}

std::string NameOf(const OpenTarget& open) {
  return absl::StrCat(open.root, " (", open.validator.empty() ? "no validator" : open.validator,
                      ")");
}

}  // namespace

Json ToJson(const GateSettings& settings) {
  const bool enforce = settings.mode == GateSettings::Mode::kEnforce;
  const bool reject_on_finish = settings.on_finish == GateSettings::OnFinish::kReject;
  const bool reject = settings.no_validator == GateSettings::Policy::kReject;
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
  return {{"mode", enforce ? "enforce" : "observe"},
          {"level", std::string(LevelName(settings.level))},
          {"on_finish", reject_on_finish ? "reject" : "validate"},
          {"max_failures", settings.max_failures},
          {"max_infra_errors", settings.max_infra_errors},
          {"baseline", baseline},
          {"no_validator", reject ? "reject" : "report"},
          {"allow_flaky", settings.allow_flaky},
          {"watch", settings.watch}};
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
  STILE_RETURN_IF_ERROR(o.file_system->MakeDirs(o.state_dir));
  gate->memory_ = LoadWorkspaceMemory(o.file_system, gate->memory_file_);
  STILE_ASSIGN_OR_RETURN(gate->current_, gate->taker_.Take(o.baseline.value_or(Snapshot())));
  gate->baseline_ = o.baseline.value_or(gate->current_);
  gate->reference_ = gate->ReferenceSnapshot();
  gate->map_ = gate->BuildMap(gate->current_);
  gate->SetReferences();
  return gate;
}

TargetMap Gate::BuildMap(const Snapshot& snapshot) const {
  return TargetMap::Build(options_.workspace, snapshot, *options_.languages, *options_.validators,
                          options_.settings, validator_outputs_);
}

// The baseline with inherited changes taken back: content of which no run has to answer for.
Snapshot Gate::ReferenceSnapshot() const {
  std::map<std::string, std::optional<Sha256Digest>> good = memory_.pending;
  for (const auto& [path, hash] : options_.inherited) good.emplace(path, hash);
  for (auto it = good.begin(); it != good.end();) {
    it = IsWatched(it->first, *options_.languages, options_.settings) ? std::next(it)
                                                                      : good.erase(it);
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

void Gate::SetReferences() {
  const bool same = DiffSnapshots(reference_, current_).empty();
  const TargetMap reference_map = same ? map_ : BuildMap(reference_);
  for (const Target& target : reference_map.targets()) {
    tracker_.SetReference(target.key, target.inputs);
    known_targets_.emplace(target.key, target);
  }
  for (const Target& target : map_.targets()) {
    if (memory_.Covers(target.key, target.inputs)) tracker_.SetReference(target.key, target.inputs);
    known_targets_.emplace(target.key, target);
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
      list.push_back(
          {{"kind", std::string(ChangeName(change.kind))}, {"path", ToUtf8(change.path)}});
    }
    options_.events->Emit(EventType::kWorkspaceChanged,
                          {{"changes", std::move(list)}, {"root", current_.RootHash()}});
  }
  return changes;
}

// On disk before anything else happens, so that a run that is killed leaves no change behind for
// which nobody answers.
absl::Status Gate::SavePending(const std::vector<FileChange>& changes) {
  bool more = false;
  WorkspaceMemory memory = memory_;
  for (const FileChange& change : changes) {
    if (!IsWatched(change.path, *options_.languages, options_.settings)) continue;
    more |= saved_pending_.insert(change.path).second;
  }
  if (!more) return absl::OkStatus();
  std::swap(memory, memory_);
  absl::Status status;
  for (const std::string& path : saved_pending_) {
    if (status.ok()) status = AddPending(path);
  }
  std::swap(memory, memory_);  // what counts at the end is decided by Close
  if (status.ok()) status = SaveWorkspaceMemory(options_.file_system, memory_file_, memory);
  return status;
}

absl::Status Gate::AddPending(const std::string& path) {
  const FileRecord* good = reference_.Find(path);
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

const Toolchain& Gate::ToolchainOf(const Target& target) {
  const auto it = toolchains_.find(target.key);
  if (it != toolchains_.end()) return it->second;
  return toolchains_[target.key] =
             target.validator->Probe(target.project, clean_environment_, options_.runner);
}

// A target of the start that is no target any more. Nothing to answer for when its code is gone, or
// when other projects have taken all of it over; else its project file was taken away from under
// it.
std::optional<OpenTarget> Gate::VanishedTarget(const Target& before) const {
  std::vector<std::string> orphans;
  for (const std::string& path : before.code_files) {
    if (!current_.Contains(path)) continue;
    const bool adopted =
        std::any_of(map_.targets().begin(), map_.targets().end(), [&](const Target& target) {
          return target.level == before.level && !target.project.loose &&
                 std::find(target.code_files.begin(), target.code_files.end(), path) !=
                     target.code_files.end();
        });
    if (!adopted) orphans.push_back(path);
  }
  if (orphans.empty() || before.project.loose) return std::nullopt;
  std::vector<std::string> missing;
  std::vector<std::string> paths = orphans;
  for (const std::string& path : before.project.files) {
    if (current_.Contains(path)) continue;
    missing.push_back(ToUtf8(path));
    paths.push_back(path);
  }
  OpenTarget open{before.key,   before.validator_id(), before.project.root,
                  before.level, std::move(paths),      ""};
  open.explanation =
      absl::StrCat(missing.empty() ? "its project settings no longer select a validator"
                                   : absl::StrCat(absl::StrJoin(missing, ", "), " was removed"),
                   ", so ", Count(orphans.size(), "code file"), " below ", before.project.root,
                   " can no longer be validated. Restore it, or remove the code as well");
  return open;
}

Sha256Digest Gate::HashOnDisk(const std::string& path) const {
  constexpr size_t kMaxBytes = size_t{64} << 20;
  const auto content =
      options_.file_system->ReadFile(JoinPath(options_.workspace, path), kMaxBytes);
  return content.ok() ? Sha256Of(*content) : Sha256Digest{};
}

// What differs from the last pass or the reference. A pass also depends on what it read besides.
std::vector<std::string> Gate::DirtyPaths(const Target& target) const {
  std::vector<std::string> paths = tracker_.Dirty(target.key, target.inputs);
  const auto read = also_read_.find(target.key);
  if (!paths.empty() || read == also_read_.end() ||
      !tracker_.HasPassed(target.key, target.inputs)) {
    return paths;
  }
  for (const auto& [path, hash] : read->second) {
    if (HashOnDisk(path) != hash) paths.push_back(path);
  }
  return paths;
}

// A link to a folder whose files no snapshot shows: whatever is built through it can change unseen.
std::optional<OpenTarget> Gate::BlindLink(const FileChange& change) const {
  const FileRecord* record = current_.Find(change.path);
  if (record == nullptr || record->kind != FileRecord::Kind::kSymlink) return std::nullopt;
  const absl::StatusOr<std::string> real = RealPath(JoinPath(options_.workspace, change.path));
  if (!real.ok() || !DirectoryExists(*real)) return std::nullopt;
  if (absl::StartsWith(*real, options_.workspace + "/")) {
    const std::string inside = real->substr(options_.workspace.size() + 1);
    const auto& files = current_.files();
    const bool seen = std::any_of(files.begin(), files.end(), [&](const FileRecord& file) {
      return IsWithin(file.path, inside);
    });
    if (seen) return std::nullopt;
  }
  OpenTarget open{"", "", DirName(change.path), Level::kBuild, {change.path}, ""};
  open.explanation = absl::StrCat(
      ToUtf8(change.path), " is a link to a folder that the gate cannot watch; put the files ",
      "themselves there, or remove the link");
  return open;
}

std::vector<OpenTarget> Gate::OpenTargets() {
  std::vector<OpenTarget> open;
  for (const FileChange& change : Changes()) {
    if (std::optional<OpenTarget> blind = BlindLink(change)) open.push_back(*std::move(blind));
  }
  for (const Target& target : map_.targets()) {
    if (!IsRequired(target.level, options_.settings)) continue;
    std::vector<std::string> paths = DirtyPaths(target);
    if (paths.empty()) continue;
    OpenTarget entry{target.key,   target.validator_id(), target.project.root,
                     target.level, std::move(paths),      ""};
    const bool missing = target.validator == nullptr || !ToolchainOf(target).available;
    if (missing && options_.settings.no_validator == GateSettings::Policy::kReport) continue;
    if (missing) {
      entry.explanation = absl::StrCat(
          "no working validator for ", target.project.language->name, " on this machine: ",
          target.validator == nullptr ? target.project.language->install_hint
                                      : ToolchainOf(target).install_hint);
    }
    open.push_back(std::move(entry));
  }
  for (const auto& [key, before] : known_targets_) {
    if (map_.Find(key) != nullptr || !IsRequired(before.level, options_.settings)) continue;
    if (auto entry = VanishedTarget(before)) open.push_back(*std::move(entry));
  }
  return open;
}

std::string Gate::RejectionText(const std::vector<OpenTarget>& open) const {
  constexpr size_t kMaxNames = 12;
  std::set<std::string> paths;
  std::vector<std::string> hopeless;
  for (const OpenTarget& target : open) {
    if (target.explanation.empty()) {
      for (const std::string& path : target.paths) paths.insert(ToUtf8(path));
    } else {
      hopeless.push_back(absl::StrCat(NameOf(target), ": ", target.explanation, "."));
    }
  }
  std::string text = "Cannot finish: ";
  if (!paths.empty()) {
    std::vector<std::string> names(paths.begin(), paths.end());
    const size_t total = names.size();
    if (total > kMaxNames) names.resize(kMaxNames);
    absl::StrAppend(&text, total, total == 1 ? " changed file is" : " changed files are",
                    " not validated (", absl::StrJoin(names, ", "),
                    total > kMaxNames ? absl::StrCat(", and ", total - kMaxNames, " more") : "",
                    "). Run code.validate",
                    failures() > 0
                        ? absl::StrCat(" after fixing what it reported (", failures(), " of ",
                                       options_.settings.max_failures, " failures used)")
                        : "",
                    ".");
  }
  if (!hopeless.empty()) {
    absl::StrAppend(&text, paths.empty() ? "" : "\n", absl::StrJoin(hopeless, "\n"));
  }
  return text;
}

absl::StatusOr<FinishVerdict> Gate::JudgeFinish(bool validated) {
  STILE_RETURN_IF_ERROR(Refresh().status());
  const std::vector<OpenTarget> open = OpenTargets();
  FinishVerdict verdict{FinishVerdict::Kind::kAccepted, "", {}};
  for (const OpenTarget& target : open) {
    verdict.remaining.push_back(absl::StrCat(NameOf(target), ": ",
                                             target.explanation.empty()
                                                 ? ToUtf8(absl::StrJoin(target.paths, ", "))
                                                 : target.explanation));
  }
  if (options_.settings.mode == GateSettings::Mode::kObserve) {
    verdict.kind = FinishVerdict::Kind::kUngated;
    return verdict;
  }
  if (open.empty()) {
    if (Changes().empty()) verdict.kind = FinishVerdict::Kind::kUnchanged;
    return verdict;
  }
  const bool validation_can_help = std::any_of(
      open.begin(), open.end(), [](const OpenTarget& t) { return t.explanation.empty(); });
  if (options_.settings.on_finish == GateSettings::OnFinish::kValidate && !validated &&
      validation_can_help) {
    verdict.kind = FinishVerdict::Kind::kNeedsValidation;
    return verdict;
  }
  verdict.kind = FinishVerdict::Kind::kRejected;
  verdict.observation = RejectionText(open);
  return verdict;
}

void Gate::Restore(const std::map<TargetKey, Json>& passes, int failures, int infra_errors) {
  for (const Target& target : map_.targets()) {
    const auto pass = passes.find(target.key);
    if (pass == passes.end()) continue;
    if (JsonString(pass->second, "inputs_sha256") == ContentFingerprint(target.inputs)) {
      tracker_.RecordPass(target.key, target.inputs);
      evidence_[target.key] = pass->second;
    }
  }
  tracker_.set_failures(failures);
  infra_errors_ = infra_errors;
}

absl::Status Gate::Close(bool accepted) {
  STILE_RETURN_IF_ERROR(Refresh().status());
  if (accepted) {
    memory_.pending.clear();
    for (const Target& target : map_.targets()) {
      if (tracker_.HasPassed(target.key, target.inputs)) memory_.Accept(target.key, target.inputs);
    }
  } else {
    for (const OpenTarget& open : OpenTargets()) {
      for (const std::string& path : open.paths) STILE_RETURN_IF_ERROR(AddPending(path));
    }
  }
  return SaveWorkspaceMemory(options_.file_system, memory_file_, memory_);
}

Json Gate::Evidence() const {
  Json list = Json::array();
  for (const auto& [key, evidence] : evidence_) {
    const Target* target = map_.Find(key);
    if (target != nullptr && tracker_.HasPassed(key, target->inputs)) list.push_back(evidence);
  }
  return list;
}

std::vector<std::string> Gate::UncoveredChanges() const {
  std::vector<std::string> paths;
  for (const FileChange& change : Changes()) {
    if (change.kind == FileChange::Kind::kDeleted) continue;
    const bool covered =
        std::any_of(map_.targets().begin(), map_.targets().end(), [&](const Target& target) {
          return tracker_.HasPassed(target.key, target.inputs) &&
                 target.inputs.count(change.path) > 0;
        });
    if (!covered) paths.push_back(change.path);
  }
  return paths;
}

}  // namespace stile

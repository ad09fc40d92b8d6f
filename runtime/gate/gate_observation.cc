#include "runtime/gate/gate_observation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/compiler_integrity.h"
#include "runtime/coverage/shown_copy.h"
#include "runtime/gate/gate_finish.h"
#include "runtime/gate/gate_validation.h"
#include "runtime/gate/validator_state.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

static bool IsInSnapshots(const GateState& gate, const std::string& path);
static bool IsMentioned(const GateState& gate, const Target& target, const std::string& path);

bool Observes(GateState* gate) {
  if (!gate->observation.has_value()) {
    gate->observation = gate->options.runner == nullptr
                            ? absl::FailedPreconditionError("there is nothing that runs programs")
                            : CheckObservation(gate->options.runner, gate->clean_environment);
  }
  return gate->observation->ok();
}

FileStamps StampsOfRead(const GateState& gate, const Target& target, const ValidatorRun& run,
                        const FileStamps& read_before, absl::Time began) {
  std::set<std::string> paths;
  if (run.result.files_read.has_value()) {
    paths.insert(run.result.files_read->begin(), run.result.files_read->end());
  }
  for (const auto& [path, stamp] : read_before) paths.insert(path);
  if (run.observed.has_value()) {
    paths.insert(run.observed->read.begin(), run.observed->read.end());
    paths.insert(run.observed->missing.begin(), run.observed->missing.end());
  }
  FileStamps stamps;
  for (const std::string& path : paths) {
    if (target.inputs.count(path) > 0) continue;
    // Packages hold thousands of files that rarely change.
    const bool with_content = run.observed.has_value() && !IsOfInstalledPackage(path);
    const std::string absolute = JoinPath(gate.options.workspace, path);
    // A folder that appears says nothing; what a build looked for in it has a path of its own.
    if (DirectoryExists(absolute)) continue;
    stamps.emplace(path, StampOf(absolute, began, with_content));
  }
  return stamps;
}

void NoteOutputs(GateState* gate, const Target& target, const Observation& observed) {
  TargetState& state = gate->StateOf(target.key);
  state.written.insert(observed.written.begin(), observed.written.end());
  for (const std::string& path : observed.read) {
    if (target.inputs.count(path) == 0) state.found.insert(path);
  }
  for (const std::string& path : state.written) state.found.erase(path);
}

bool IsOutputOfValidator(const GateState& gate, const std::string& path) {
  bool is_written = false;
  for (const auto& [key, state] : gate.states) {
    if (state.found.count(path) > 0 || HoldsBelow(state.found, path)) return false;
    is_written |= state.written.count(path) > 0 || HoldsBelow(state.written, path);
  }
  return is_written;
}

bool IsFoundByValidator(const GateState& gate, const std::string& path) {
  return std::any_of(gate.states.begin(), gate.states.end(),
                     [&path](const auto& entry) { return entry.second.found.count(path) > 0; });
}

std::string OwnStateDir(GateState* gate, const Validator& validator, const Project& project) {
  if (!gate->replacement.has_value()) {
    const bool is_around =
        gate->options.workspace == "/" || IsWithin(gate->scratch.folder, gate->options.workspace);
    gate->replacement = is_around || gate->options.runner == nullptr
                            ? absl::FailedPreconditionError("no sandbox can show copies there")
                            : CheckReplacement(gate->options.runner, gate->clean_environment,
                                               gate->options.workspace, gate->scratch.folder);
  }
  if (!gate->replacement->ok()) return "";
  const auto is_it = [&](const Target& target) {
    return target.validator == &validator && target.project.root == project.root &&
           target.project.loose == project.loose;
  };
  TargetKey key = absl::StrCat(validator.id(), ":", project.root);
  for (const auto& [known, state] : gate->states) {
    if (state.at_start.has_value() && is_it(*state.at_start)) key = known;
  }
  for (const Target& target : gate->map.targets()) {
    if (is_it(target)) key = target.key;
  }
  const std::string folder =
      ValidatorState::FolderOf(JoinPath(gate->options.state_dir, "validators"), key);
  return RealPath(folder).value_or(folder);
}

void NoteCompiled(GateState* gate, const TargetKey& key, const ValidationResult& result,
                  ValidatorRun* run) {
  if (!run->observed.has_value()) return;
  TargetState& state = gate->StateOf(key);
  if (result.excused_errors) ExcuseErrors(result.diagnostics, &*run->observed);
  for (const auto& [path, compiled] : run->observed->compiled) {
    const FileRecord* const file = gate->current.Find(path);
    if (file == nullptr || !IsStillCompiled(compiled)) continue;
    // A validator's copy must hold what the workspace holds.
    const std::string own = JoinPath(gate->options.workspace, path);
    if (compiled.path != own) {
      const auto content = gate->options.file_system->ReadFile(compiled.path, kMaxFileBytes);
      if (!content.ok() || Sha256Of(*content) != file->hash) continue;
    }
    const CompilerWays passed = PassedWays(compiled);
    if (passed.empty()) {
      state.compiled.erase(path);
      state.failed[path] = file->hash;
      continue;
    }
    state.failed.erase(path);
    // A warm build may do again only one of several.
    const auto known = state.compiled.find(path);
    CompilerWays& ways = state.compiler_ways[path];
    if (known == state.compiled.end() || known->second != file->hash) ways.clear();
    for (const auto& way : passed) {
      if (!HaveOneInCommon(ways, {way})) ways.push_back(way);
    }
    state.compiled[path] = file->hash;
  }
}

bool ShouldAskAlike(GateState* gate, const CoverageGap& gap) {
  const Target* const target = gate->map.Find(gap.target);
  if (!gap.is_compiled_otherwise || target == nullptr) return false;
  const std::string content = ContentFingerprint(target->inputs);
  return std::exchange(gate->StateOf(gap.target).asked_alike, content) != content;
}

// Changed code that the last pass claims to cover but that no compiler has opened since.
static std::set<std::string> UncompiledChanges(const GateState& gate, const Target& target) {
  std::set<std::string> uncompiled;
  if (target.level != Level::kBuild) return uncompiled;
  const std::optional<CoverageQuestion> question = QuestionOf(gate, target);
  if (!question.has_value() || !question->compiled.has_value()) return uncompiled;
  for (const std::string& path : question->changed) {
    const bool is_claimed =
        !question->listed.has_value() ||
        std::binary_search(question->listed->begin(), question->listed->end(), path);
    if (is_claimed && question->compiled->count(path) == 0) uncompiled.insert(path);
  }
  return uncompiled;
}

bool ShouldAskCold(GateState* gate, const Target& target) {
  const std::set<std::string> uncompiled = UncompiledChanges(*gate, target);
  if (uncompiled.empty()) return false;
  std::string what = ContentFingerprint(target.inputs);
  for (const std::string& path : uncompiled) absl::StrAppend(&what, "\n", path);
  return std::exchange(gate->StateOf(target.key).asked_cold, what) != what;
}

std::optional<std::set<std::string>> CompiledOf(const GateState& gate, const Target& target) {
  const TargetState& state = gate.StateOf(target.key);
  if (!state.details.has_value() || !state.details->observed ||
      target.validator->compilers().empty()) {
    return std::nullopt;
  }
  return FilesOf(gate, target, state.compiled, /*with_unseen=*/true);
}

absl::Status RequireJudgement(GateState* gate, const Target& target, ValidationResult* result) {
  if (result->verdict != Verdict::kPass || target.level != Level::kBuild) return absl::OkStatus();
  if (target.code_files.empty()) return absl::OkStatus();  // of a project that names others
  const auto is_judged = [&] {
    const std::optional<std::set<std::string>> compiled = CompiledOf(*gate, target);
    return !compiled.has_value() || !compiled->empty();
  };
  const auto is_listed = [&](const std::string& path) {
    return std::binary_search(target.code_files.begin(), target.code_files.end(), path);
  };
  if (is_judged() ||
      (result->files_read.has_value() &&
       std::any_of(result->files_read->begin(), result->files_read->end(), is_listed))) {
    return absl::OkStatus();
  }
  STILE_ASSIGN_OR_RETURN(*result, ValidateTarget(gate, target.key, /*force_cold=*/true));
  if (result->verdict != Verdict::kPass || is_judged()) return absl::OkStatus();
  result->verdict = Verdict::kNoValidator;
  result->message = absl::StrCat(
      "nothing was judged: the build passed, but its compilers opened none of its ",
      Count(target.code_files.size(), "code file"), " (", ToUtf8(target.code_files.front()),
      target.code_files.size() > 1 ? ", …" : "", "); name the code in the build files");
  return absl::OkStatus();
}

std::set<std::string> FilesOf(const GateState& gate, const Target& target, const ContentMap& opened,
                              bool with_unseen) {
  std::set<std::string> files;
  const auto has_content = [&](const FileRecord& file) {
    const auto at = opened.find(file.path);
    return at != opened.end() && at->second == file.hash;
  };
  for (const std::string& path : target.code_files) {
    const FileRecord* file = gate.current.Find(path);
    if (file == nullptr) continue;
    if (file->kind == FileRecord::Kind::kSymlink) {
      // The observation has the path of the link's target.
      const absl::StatusOr<std::string> real = RealPath(JoinPath(gate.options.workspace, path));
      const bool is_inside = real.ok() && absl::StartsWith(*real, gate.options.workspace + "/");
      file =
          is_inside ? gate.current.Find(real->substr(gate.options.workspace.size() + 1)) : nullptr;
      if (file == nullptr && with_unseen) files.insert(path);
    }
    if (file != nullptr && has_content(*file)) files.insert(path);
  }
  return files;
}

std::vector<std::string> CompiledChanges(const GateState& gate, const TargetKey& key) {
  std::vector<std::string> paths;
  const Target* const target = gate.map.Find(key);
  const auto compiled = target == nullptr ? std::nullopt : CompiledOf(gate, *target);
  if (!compiled.has_value()) return paths;
  for (const FileChange& change : ChangesSinceStart(gate)) {
    if (compiled->count(change.path) > 0) paths.push_back(change.path);
  }
  return paths;
}

static const ReadSet& ReadBefore(const GateState& gate, const TargetKey& key) {
  std::optional<ReadSet>& known = gate.StateOf(key).read_before;
  if (!known.has_value()) {
    known = ValidatorState::ReadBy(gate.options.file_system,
                                   JoinPath(gate.options.state_dir, "validators"), key);
  }
  return *known;
}

std::vector<std::string> ChangedReads(const GateState& gate, const Target& target) {
  std::vector<std::string> changed;
  if (target.validator == nullptr) return changed;
  const ReadSet& before = ReadBefore(gate, target.key);
  const FileStamps& known = before.files;
  for (const FileChange& change : DiffSnapshots(gate.accepted_snapshot, gate.current)) {
    if (target.inputs.count(change.path) > 0 || gate.validator_outputs.count(change.path) > 0)
      continue;
    const bool is_read =
        known.empty() ? IsMentioned(gate, target, change.path) : known.count(change.path) > 0;
    if (is_read) changed.push_back(change.path);
  }
  if (gate.baseline.taken_at_ns() == 0) return changed;
  // Times of files are coarser than the clock; the stamps tell whether they really changed.
  constexpr absl::Duration kGranularity = absl::Milliseconds(20);
  const absl::Time run_began = absl::FromUnixNanos(gate.baseline.taken_at_ns()) - kGranularity;
  for (const auto& [path, stamp] : known) {
    if (target.inputs.count(path) > 0 || IsInSnapshots(gate, path)) continue;
    const std::string absolute = JoinPath(gate.options.workspace, path);
    const bool is_there = FileExists(absolute);
    const bool is_gone = stamp.size >= 0 && !is_there;
    if (ChangedSince(is_gone ? DirName(absolute) : absolute, run_began) && (is_there || is_gone) &&
        !IsUnchanged(absolute, stamp)) {
      changed.push_back(path);
    }
  }
  for (std::string& path : AppearedFor(gate, target, before)) {
    if (ChangedSince(JoinPath(gate.options.workspace, path), run_began)) {
      changed.push_back(std::move(path));
    }
  }
  return changed;
}

std::vector<std::string> AppearedFor(const GateState& gate, const Target& target,
                                     const ReadSet& read) {
  const auto extension = [](absl::string_view name) {
    const size_t dot = name.rfind('.');
    return dot == absl::string_view::npos || dot == 0 ? absl::string_view() : name.substr(dot);
  };
  std::optional<std::set<std::string>> extensions;  // made on demand: most listings hold
  const auto may_use = [&](absl::string_view name) {
    if (gate.options.languages->OfFile(name) == target.project.language) return true;
    if (!gate.options.languages->OfBuildFile(name).empty()) return true;
    if (!extensions.has_value()) {
      extensions.emplace();
      for (const std::string& file : target.code_files) extensions->emplace(extension(file));
      for (const auto& [file, stamp] : read.files) {
        if (stamp.size >= 0) extensions->emplace(extension(BaseName(file)));
      }
    }
    const absl::string_view ending = extension(name);
    return !ending.empty() && extensions->count(std::string(ending)) > 0;
  };
  std::vector<std::string> appeared = AppearedFiles(gate.options.workspace, read.folders, may_use);
  FolderListings found;  // what the build looked for in vain and is a folder now
  for (const auto& [path, stamp] : read.files) {
    if (stamp.size < 0 && DirectoryExists(JoinPath(gate.options.workspace, path))) {
      found.emplace(path, FolderListing());
    }
  }
  for (std::string& path : AppearedFiles(gate.options.workspace, found, may_use)) {
    appeared.push_back(std::move(path));
  }
  std::sort(appeared.begin(), appeared.end());
  appeared.erase(
      std::remove_if(appeared.begin(), appeared.end(),
                     [&](const std::string& path) { return target.inputs.count(path) > 0; }),
      appeared.end());
  return appeared;
}

static bool IsInSnapshots(const GateState& gate, const std::string& path) {
  return gate.current.Contains(path) || gate.accepted_snapshot.Contains(path);
}

// Whether only files keep the target dirty that no model is told about: files that no snapshot
// holds, and files that a build may find by listing a folder.
static bool IsUnseenChange(const GateState& gate, const Blocker& open) {
  const Target* const target = gate.map.Find(open.key);
  if (target == nullptr || open.paths.empty() || !open.explanation.empty() ||
      open.refusal.has_value()) {
    return false;
  }
  const std::vector<std::string> appeared = AppearedFor(gate, *target, gate.StateOf(open.key).read);
  return std::all_of(open.paths.begin(), open.paths.end(), [&](const std::string& path) {
    return !IsInSnapshots(gate, path) || std::binary_search(appeared.begin(), appeared.end(), path);
  });
}

absl::Status RevalidateUnseenChanges(GateState* gate) {
  std::vector<TargetKey> keys;
  for (const Blocker& open : UnvalidatedTargets(gate)) {
    if (IsUnseenChange(*gate, open)) {
      keys.push_back(open.key);
    }
  }
  for (const TargetKey& key : keys) {
    STILE_RETURN_IF_ERROR(ValidateTarget(gate, key, /*force_cold=*/true).status());
  }
  return absl::OkStatus();
}

// Whether code or a build file of the target holds the file's name, or a pattern such as "*.txt"
// that stands for it.
static bool IsMentioned(const GateState& gate, const Target& target, const std::string& path) {
  const std::string name = BaseName(path);
  const auto [known, is_new] =
      gate.mentions.try_emplace(absl::StrCat(target.key, " ", name), false);
  if (!is_new) return known->second;
  const size_t dot = name.rfind('.');
  const std::string pattern = dot == std::string::npos ? name : "*" + name.substr(dot);
  const auto mentions = [&](const std::string& file) {
    const absl::StatusOr<std::string> text =
        gate.options.file_system->ReadFile(JoinPath(gate.options.workspace, file), kMaxFileBytes);
    return text.ok() && (absl::StrContains(*text, name) || absl::StrContains(*text, pattern));
  };
  for (const auto* files : {&target.code_files, &target.project.files}) {
    known->second |= std::any_of(files->begin(), files->end(), mentions);
  }
  return known->second;
}

}  // namespace stile

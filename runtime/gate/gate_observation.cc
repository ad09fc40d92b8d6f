// The part of the gate that knows which files validators read.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/compiler_integrity.h"
#include "runtime/coverage/shown_copy.h"
#include "runtime/gate/gate.h"
#include "runtime/gate/validator_state.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

bool Gate::Observes() {
  if (!observation_.has_value()) {
    observation_ = options_.runner == nullptr
                       ? absl::FailedPreconditionError("there is nothing that runs programs")
                       : CheckObservation(options_.runner, clean_environment_);
  }
  return observation_->ok();
}

// Leaves out the target's inputs, which snapshots compare. Call it while current_ is still the
// snapshot from before the validation.
FileStamps Gate::StampsOfRead(const Target& target, const ValidatorRun& run,
                              const FileStamps& read_before, absl::Time began) const {
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
    const std::string absolute = JoinPath(options_.workspace, path);
    // A folder that appears says nothing; what a build looked for in it has a path of its own.
    if (DirectoryExists(absolute)) continue;
    stamps.emplace(path, StampOf(absolute, began, with_content));
  }
  return stamps;
}

void Gate::NoteOutputs(const Target& target, const Observation& observed) {
  TargetState& state = StateOf(target.key);
  state.written.insert(observed.written.begin(), observed.written.end());
  for (const std::string& path : observed.read) {
    if (target.inputs.count(path) == 0) state.found.insert(path);
  }
  for (const std::string& path : state.written) state.found.erase(path);
}

// Whether validators wrote the file, or all files of the folder that they use. The others of the
// workspace are found there: packages.
bool Gate::IsOutput(const std::string& path) const {
  bool is_written = false;
  for (const auto& [key, state] : states_) {
    if (state.found.count(path) > 0 || HoldsBelow(state.found, path)) return false;
    is_written |= state.written.count(path) > 0 || HoldsBelow(state.written, path);
  }
  return is_written;
}

// Whether validators read the file and did not write it.
bool Gate::IsFound(const std::string& path) const {
  return std::any_of(states_.begin(), states_.end(),
                     [&path](const auto& entry) { return entry.second.found.count(path) > 0; });
}

// Where the state of a validator lies when it judges the workspace itself; "" where no sandbox can
// show a copy there.
std::string Gate::OwnStateDir(const Validator& validator, const Project& project) {
  if (!replacement_.has_value()) {
    const bool is_around =
        options_.workspace == "/" || IsWithin(scratch_.folder, options_.workspace);
    replacement_ = is_around || options_.runner == nullptr
                       ? absl::FailedPreconditionError("no sandbox can show copies there")
                       : CheckReplacement(options_.runner, clean_environment_, options_.workspace,
                                          scratch_.folder);
  }
  if (!replacement_->ok()) return "";
  const auto is_it = [&](const Target& target) {
    return target.validator == &validator && target.project.root == project.root &&
           target.project.loose == project.loose;
  };
  TargetKey key = absl::StrCat(validator.id(), ":", project.root);
  for (const auto& [known, state] : states_) {
    if (state.at_start.has_value() && is_it(*state.at_start)) key = known;
  }
  for (const Target& target : map_.targets()) {
    if (is_it(target)) key = target.key;
  }
  const std::string folder =
      ValidatorState::FolderOf(JoinPath(options_.state_dir, "validators"), key);
  return RealPath(folder).value_or(folder);
}

void Gate::NoteCompiled(const TargetKey& key, const ValidationResult& result, ValidatorRun* run) {
  if (!run->observed.has_value()) return;
  TargetState& state = StateOf(key);
  if (result.excused_errors) ExcuseErrors(result.diagnostics, &*run->observed);
  for (const auto& [path, compiled] : run->observed->compiled) {
    const FileRecord* const file = current_.Find(path);
    if (file == nullptr || !IsStillCompiled(compiled)) continue;
    // A validator's copy must hold what the workspace holds.
    const std::string own = JoinPath(options_.workspace, path);
    if (compiled.path != own) {
      const auto content = options_.file_system->ReadFile(compiled.path, kMaxFileBytes);
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

// Whether a trial copy was compiled otherwise than the workspace, in which the build did not
// compile everything again: its build files may ask for other arguments by now. True once for the
// same content.
bool Gate::ShouldAskAlike(const CoverageGap& gap) {
  const Target* const target = map_.Find(gap.target);
  if (!gap.is_compiled_otherwise || target == nullptr) return false;
  const std::string content = ContentFingerprint(target->inputs);
  return std::exchange(StateOf(gap.target).asked_alike, content) != content;
}

std::set<std::string> Gate::UncompiledChanges(const Target& target) const {
  std::set<std::string> uncompiled;
  if (target.level != Level::kBuild) return uncompiled;
  const std::optional<CoverageQuestion> question = QuestionOf(target);
  if (!question.has_value() || !question->compiled.has_value()) return uncompiled;
  for (const std::string& path : question->changed) {
    const bool is_claimed =
        !question->listed.has_value() ||
        std::binary_search(question->listed->begin(), question->listed->end(), path);
    if (is_claimed && question->compiled->count(path) == 0) uncompiled.insert(path);
  }
  return uncompiled;
}

// True once for the same files and content: a cold run does not open files outside the build.
bool Gate::ShouldAskCold(const Target& target) {
  const std::set<std::string> uncompiled = UncompiledChanges(target);
  if (uncompiled.empty()) return false;
  std::string what = ContentFingerprint(target.inputs);
  for (const std::string& path : uncompiled) absl::StrAppend(&what, "\n", path);
  return std::exchange(StateOf(target.key).asked_cold, what) != what;
}

// The target's code files that a compiler opened with their present content and passed. nullopt
// when opens are not observed or the validator's compilers are not known.
std::optional<std::set<std::string>> Gate::CompiledOf(const Target& target) const {
  const TargetState& state = StateOf(target.key);
  if (!state.details.has_value() || !state.details->observed ||
      target.validator->compilers().empty()) {
    return std::nullopt;
  }
  return FilesOf(target, state.compiled, /*with_unseen=*/true);
}

// Turns the pass of a build that judged no code into no_validator. A build that had nothing to do
// again is run once more from nothing, unless it lists what it read.
absl::Status Gate::RequireJudgement(const Target& target, ValidationResult* result) {
  if (result->verdict != Verdict::kPass || target.level != Level::kBuild) return absl::OkStatus();
  if (target.code_files.empty()) return absl::OkStatus();  // of a project that names others
  const auto is_judged = [&] {
    const std::optional<std::set<std::string>> compiled = CompiledOf(target);
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
  STILE_ASSIGN_OR_RETURN(*result, ValidateTarget(target.key, /*force_cold=*/true));
  if (result->verdict != Verdict::kPass || is_judged()) return absl::OkStatus();
  result->verdict = Verdict::kNoValidator;
  result->message = absl::StrCat(
      "nothing was judged: the build passed, but its compilers opened none of its ",
      Count(target.code_files.size(), "code file"), " (", ToUtf8(target.code_files.front()),
      target.code_files.size() > 1 ? ", …" : "", "); name the code in the build files");
  return absl::OkStatus();
}

// The target's code files that have the content noted in `opened`. `with_unseen`: and links to
// files that lie outside of every snapshot.
std::set<std::string> Gate::FilesOf(const Target& target, const ContentMap& opened,
                                    bool with_unseen) const {
  std::set<std::string> files;
  const auto has_content = [&](const FileRecord& file) {
    const auto at = opened.find(file.path);
    return at != opened.end() && at->second == file.hash;
  };
  for (const std::string& path : target.code_files) {
    const FileRecord* file = current_.Find(path);
    if (file == nullptr) continue;
    if (file->kind == FileRecord::Kind::kSymlink) {
      // The observation has the path of the link's target.
      const absl::StatusOr<std::string> real = RealPath(JoinPath(options_.workspace, path));
      const bool is_inside = real.ok() && absl::StartsWith(*real, options_.workspace + "/");
      file = is_inside ? current_.Find(real->substr(options_.workspace.size() + 1)) : nullptr;
      if (file == nullptr && with_unseen) files.insert(path);
    }
    if (file != nullptr && has_content(*file)) files.insert(path);
  }
  return files;
}

// Files that this run changed and a compiler opened since, for the certificate.
std::vector<std::string> Gate::CompiledChanges(const TargetKey& key) const {
  std::vector<std::string> paths;
  const Target* const target = map_.Find(key);
  const auto compiled = target == nullptr ? std::nullopt : CompiledOf(*target);
  if (!compiled.has_value()) return paths;
  for (const FileChange& change : Changes()) {
    if (compiled->count(change.path) > 0) paths.push_back(change.path);
  }
  return paths;
}

const ReadSet& Gate::ReadBefore(const TargetKey& key) const {
  std::optional<ReadSet>& known = StateOf(key).read_before;
  if (!known.has_value()) {
    known = ValidatorState::ReadBy(options_.file_system, JoinPath(options_.state_dir, "validators"),
                                   key);
  }
  return *known;
}

// For a target that has not been validated in this run: files that its last validation in an
// earlier run read and that have changed since this run began. Without an earlier validation:
// changed files whose names its code or its build files mention.
std::vector<std::string> Gate::ChangedReads(const Target& target) const {
  std::vector<std::string> changed;
  if (target.validator == nullptr) return changed;
  const ReadSet& before = ReadBefore(target.key);
  const FileStamps& known = before.files;
  for (const FileChange& change : DiffSnapshots(accepted_snapshot_, current_)) {
    if (target.inputs.count(change.path) > 0 || validator_outputs_.count(change.path) > 0) continue;
    const bool is_read =
        known.empty() ? IsMentioned(target, change.path) : known.count(change.path) > 0;
    if (is_read) changed.push_back(change.path);
  }
  if (baseline_.taken_at_ns() == 0) return changed;
  // Times of files are coarser than the clock; the stamps tell whether they really changed.
  constexpr absl::Duration kGranularity = absl::Milliseconds(20);
  const absl::Time run_began = absl::FromUnixNanos(baseline_.taken_at_ns()) - kGranularity;
  for (const auto& [path, stamp] : known) {
    if (target.inputs.count(path) > 0 || IsInSnapshots(path)) continue;
    const std::string absolute = JoinPath(options_.workspace, path);
    const bool is_there = FileExists(absolute);
    const bool is_gone = stamp.size >= 0 && !is_there;
    if (ChangedSince(is_gone ? DirName(absolute) : absolute, run_began) && (is_there || is_gone) &&
        !IsUnchanged(absolute, stamp)) {
      changed.push_back(path);
    }
  }
  for (std::string& path : AppearedFor(target, before)) {
    if (ChangedSince(JoinPath(options_.workspace, path), run_began)) {
      changed.push_back(std::move(path));
    }
  }
  return changed;
}

// Files that a build of the target could find in the folders that it listed before they were there:
// code of its language, build files, and files with the extension of one that it has read.
std::vector<std::string> Gate::AppearedFor(const Target& target, const ReadSet& read) const {
  const auto extension = [](absl::string_view name) {
    const size_t dot = name.rfind('.');
    return dot == absl::string_view::npos || dot == 0 ? absl::string_view() : name.substr(dot);
  };
  std::optional<std::set<std::string>> extensions;  // made on demand: most listings hold
  const auto may_use = [&](absl::string_view name) {
    if (options_.languages->OfFile(name) == target.project.language) return true;
    if (!options_.languages->OfBuildFile(name).empty()) return true;
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
  std::vector<std::string> appeared = AppearedFiles(options_.workspace, read.folders, may_use);
  FolderListings found;  // what the build looked for in vain and is a folder now
  for (const auto& [path, stamp] : read.files) {
    if (stamp.size < 0 && DirectoryExists(JoinPath(options_.workspace, path))) {
      found.emplace(path, FolderListing());
    }
  }
  for (std::string& path : AppearedFiles(options_.workspace, found, may_use)) {
    appeared.push_back(std::move(path));
  }
  std::sort(appeared.begin(), appeared.end());
  appeared.erase(
      std::remove_if(appeared.begin(), appeared.end(),
                     [&](const std::string& path) { return target.inputs.count(path) > 0; }),
      appeared.end());
  return appeared;
}

bool Gate::IsInSnapshots(const std::string& path) const {
  return current_.Contains(path) || accepted_snapshot_.Contains(path);
}

// Whether only files keep the target dirty that no model is told about: files that no snapshot
// holds, and files that a build may find by listing a folder.
bool Gate::IsUnseenChange(const Blocker& open) const {
  const Target* const target = map_.Find(open.key);
  if (target == nullptr || open.paths.empty() || !open.explanation.empty() ||
      open.refusal.has_value()) {
    return false;
  }
  const std::vector<std::string> appeared = AppearedFor(*target, StateOf(open.key).read);
  return std::all_of(open.paths.begin(), open.paths.end(), [&](const std::string& path) {
    return !IsInSnapshots(path) || std::binary_search(appeared.begin(), appeared.end(), path);
  });
}

// Validates targets again that passed in this run or an earlier one, and of which only files have
// changed that no snapshot holds: outputs of the user's own builds, for example. The model did not
// edit these, so it is not told to validate. Counts as no validation and has no events.
absl::Status Gate::RevalidateUnseenChanges() {
  std::vector<TargetKey> keys;
  for (const Blocker& open : UnvalidatedTargets()) {
    if (IsUnseenChange(open)) {
      keys.push_back(open.key);
    }
  }
  for (const TargetKey& key : keys) {
    STILE_RETURN_IF_ERROR(ValidateTarget(key, /*force_cold=*/true).status());
  }
  return absl::OkStatus();
}

// Whether code or a build file of the target holds the file's name, or a pattern such as "*.txt"
// that stands for it.
bool Gate::IsMentioned(const Target& target, const std::string& path) const {
  const std::string name = BaseName(path);
  const auto [known, is_new] = mentions_.try_emplace(absl::StrCat(target.key, " ", name), false);
  if (!is_new) return known->second;
  const size_t dot = name.rfind('.');
  const std::string pattern = dot == std::string::npos ? name : "*" + name.substr(dot);
  const auto mentions = [&](const std::string& file) {
    const absl::StatusOr<std::string> text =
        options_.file_system->ReadFile(JoinPath(options_.workspace, file), kMaxFileBytes);
    return text.ok() && (absl::StrContains(*text, name) || absl::StrContains(*text, pattern));
  };
  for (const auto* files : {&target.code_files, &target.project.files}) {
    known->second |= std::any_of(files->begin(), files->end(), mentions);
  }
  return known->second;
}

}  // namespace stile

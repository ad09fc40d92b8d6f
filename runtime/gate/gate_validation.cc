// The part of the gate that runs validators.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/compiler_integrity.h"
#include "runtime/gate/gate.h"
#include "runtime/gate/validator_state.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Worse verdicts have higher ranks; the worst of the targets is the report's.
int Rank(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
    case Verdict::kRemoved:
      return 0;
    case Verdict::kFlakyPass:
      return 1;
    case Verdict::kChangedDuringRun:
      return 2;
    case Verdict::kSyntaxOnly:
      return 3;
    case Verdict::kNoValidator:
      return 4;
    case Verdict::kInfraError:
      return 5;
    case Verdict::kTimeout:
      return 6;
    case Verdict::kFail:
      return 7;
  }
  return 7;
}

Json TargetJson(const Target& target) {
  return {{"validator", target.validator_id()},
          {"root", ToUtf8(target.project.root)},
          {"level", std::string(LevelName(target.level))}};
}

// What a judge said of code that it passed: all are counted, the first are quoted.
Json WarningsJson(const std::vector<Diagnostic>& diagnostics) {
  constexpr size_t kMaxQuoted = 20;
  constexpr size_t kMaxMessageBytes = 500;
  Json first = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::kError || first.size() == kMaxQuoted) continue;
    first.push_back({{"file", ToUtf8(diagnostic.file)},
                     {"line", diagnostic.line},
                     {"code", ToUtf8(diagnostic.code)},
                     {"message", ToUtf8(TruncateMiddle(diagnostic.message, kMaxMessageBytes))}});
  }
  return {{"count", diagnostics.size() - CountErrors(diagnostics)}, {"first", std::move(first)}};
}

// What a pass rests on, for the certificate and for a run that is resumed.
Json EvidenceOf(const Target& target, const ValidationResult& result, bool observed) {
  Json evidence = TargetJson(target);
  evidence["language"] = target.project.language->id;
  evidence["verdict"] = std::string(VerdictName(result.verdict));
  evidence["command"] = ToUtf8(result.command);
  evidence["program"] = ToUtf8(result.toolchain.program);
  evidence["version"] = ToUtf8(result.toolchain.version);
  evidence["inputs_sha256"] = ContentFingerprint(target.inputs);
  evidence["duration_ms"] = absl::ToInt64Milliseconds(result.duration);
  evidence["rule"] = result.excused_errors ? "no_new_errors" : "strict";
  evidence["warnings"] = WarningsJson(result.diagnostics);
  evidence["note"] = ToUtf8(result.message);
  evidence["inputs"] = observed ? "observed" : "listed";
  evidence["coverage"] = nullptr;  // known when a finish is judged
  evidence["tests"] = nullptr;
  if (result.tests.has_value()) {
    evidence["tests"] = {{"passed", result.tests->passed},
                         {"failed", result.tests->failed},
                         {"skipped", result.tests->skipped}};
  }
  return evidence;
}

// Paths are raw bytes; JSON strings are not.
Json EncodedPaths(const std::set<std::string>& paths) {
  Json list = Json::array();
  for (const std::string& path : paths) list.push_back(Base64Encode(path));
  return list;
}

}  // namespace

// A target can hold code of two languages: CMake builds C and C++ in one, even where all of the
// C++ lies in files named as those of C.
bool Gate::Judges(const Target& target, const std::string& language) const {
  const bool holds_it =
      std::any_of(target.code_files.begin(), target.code_files.end(), [&](const std::string& path) {
        const Language* const of_file = options_.languages->OfFile(path);
        return of_file != nullptr && of_file->id == language;
      });
  if (holds_it || target.project.language->id == language) return true;
  Project project = target.project;
  project.language = options_.languages->Find(language);
  const Validator* const validator = options_.validators->ForProject(project, target.level);
  return validator != nullptr && validator == target.validator && !validator->judges_single_files();
}

// Why there is no target for the arguments.
std::string Gate::NothingToValidate(const std::string& language) const {
  const Language* const wanted = options_.languages->Find(language);
  if (wanted == nullptr) return "nothing to validate: no code of a known language";
  std::vector<std::string> names = wanted->project_files;
  for (const std::string& extension : wanted->extensions) {
    names.push_back(absl::StrCat("*", extension));
  }
  return absl::StrCat("nothing to validate: no code of ", wanted->name, " here (",
                      absl::StrJoin(names, ", "), ")");
}

absl::StatusOr<std::vector<const Target*>> Gate::Select(const ValidateArguments& arguments) {
  const bool any_language = arguments.language.empty() || arguments.language == "auto";
  if (!any_language && options_.languages->Find(arguments.language) == nullptr) {
    std::vector<std::string> ids;
    for (const Language& language : options_.languages->languages()) ids.push_back(language.id);
    return absl::InvalidArgumentError(absl::StrCat("unknown language '", arguments.language,
                                                   "'; known: ", absl::StrJoin(ids, ", ")));
  }
  const Level level = arguments.level.value_or(options_.settings.level);
  const std::string path = arguments.project_path.empty() ? "." : arguments.project_path;

  std::vector<const Target*> matching;
  size_t deepest = 0;
  for (const Target& target : map_.targets()) {
    const bool wanted_level =
        target.level == Level::kBuild || level == Level::kTest || IsRefused(target.key);
    const std::string& root = target.project.root;
    if (!wanted_level || (!any_language && !Judges(target, arguments.language))) continue;
    if (!IsWithin(root, path) && !IsWithin(path, root)) continue;
    if (IsWithin(path, root)) deepest = std::max(deepest, root.size());
    matching.push_back(&target);
  }
  // A path inside a project means that project, not the ones around it.
  if (path != ".") {
    matching.erase(std::remove_if(matching.begin(), matching.end(),
                                  [&](const Target* target) {
                                    const std::string& root = target->project.root;
                                    return !IsWithin(root, path) && root.size() < deepest;
                                  }),
                   matching.end());
    if (matching.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no project of ", any_language ? "a known language" : arguments.language,
                       " at '", path, "'; leave projectPath out to validate what changed"));
    }
  }
  if (arguments.everything || path != "." || !any_language) return matching;

  std::vector<const Target*> dirty;
  std::vector<const Target*> not_passed;
  for (const Target* target : matching) {
    if (!DirtyPaths(*target).empty() || IsRefused(target->key)) dirty.push_back(target);
    if (!tracker_.HasPassed(target->key, target->inputs)) not_passed.push_back(target);
  }
  if (arguments.level.has_value()) return not_passed.empty() ? matching : not_passed;
  return dirty.empty() ? not_passed : dirty;
}

absl::StatusOr<ValidationReport> Gate::Validate(const ValidateArguments& arguments) {
  const absl::Duration start = options_.clock->Monotonic();
  STILE_RETURN_IF_ERROR(Refresh().status());
  STILE_ASSIGN_OR_RETURN(const std::vector<const Target*> selected, Select(arguments));
  std::vector<Target> targets;  // copies: the map is rebuilt while validators run
  Json started = Json::array();
  for (const Target* target : selected) {
    targets.push_back(*target);
    started.push_back(TargetJson(*target));
  }
  if (options_.events != nullptr) {
    options_.events->Emit(EventType::kValidationStarted, {{"targets", started}});
  }

  ValidationReport report;
  size_t passed = 0;
  Json finished = Json::array();
  for (const Target& target : targets) {
    STILE_ASSIGN_OR_RETURN(ValidationResult result,
                           ValidateTarget(target.key, /*force_cold=*/false));
    if (arguments.must_judge) STILE_RETURN_IF_ERROR(RequireJudgement(target, &result));
    Json entry = TargetJson(target);
    entry["key"] = Base64Encode(target.key);
    entry["verdict"] = std::string(VerdictName(result.verdict));
    entry["command"] = ToUtf8(result.command);
    entry["errors"] = CountErrors(result.diagnostics);
    entry["message"] = ToUtf8(result.message);
    if (result.is_syntax_check) entry["is_syntax_check"] = true;
    entry["duration_ms"] = absl::ToInt64Milliseconds(result.duration);
    Json first = Json::array();
    for (const Diagnostic& d : result.diagnostics) {
      if (first.size() < 3 && d.severity == Severity::kError) {
        first.push_back(ToUtf8(FormatDiagnostic(d)));
      }
    }
    entry["first_errors"] = std::move(first);
    const Target* now = map_.Find(target.key);
    if (now != nullptr && tracker_.HasPassed(target.key, now->inputs)) {
      entry["evidence"] = StateOf(target.key).evidence.value_or(Json());
    }
    finished.push_back(std::move(entry));
    if (Rank(result.verdict) == 0) ++passed;
    if (Rank(result.verdict) > Rank(report.verdict)) report.verdict = result.verdict;
    report.targets.push_back({target.validator_id(), target.project.root, target.level,
                              target.project.language->id, std::move(result)});
  }

  const bool infra_error = std::any_of(
      report.targets.begin(), report.targets.end(),
      [](const TargetReport& target) { return target.result.verdict == Verdict::kInfraError; });
  if (!targets.empty()) infra_errors_ = infra_error ? infra_errors_ + 1 : 0;
  const std::vector<Blocker> open = UnvalidatedTargets();
  const bool failed = report.verdict == Verdict::kFail || report.verdict == Verdict::kTimeout;
  tracker_.RecordValidation(failed, !open.empty());
  for (const Blocker& target : open) {
    report.remaining.push_back(
        absl::StrCat(target.root, " (", target.validator, "): ", ReasonOf(target)));
  }
  report.summary = absl::StrCat(passed, " of ", Count(targets.size(), "target"), " passed");
  const bool any_language = arguments.language.empty() || arguments.language == "auto";
  const bool holds_code = std::any_of(targets.begin(), targets.end(), [](const Target& target) {
    return target.level != Level::kBuild || !target.code_files.empty();
  });
  if (arguments.must_judge && !holds_code && !targets.empty() && report.verdict == Verdict::kPass) {
    report.verdict = Verdict::kNoValidator;
    report.summary = "nothing to validate: the projects hold no code file";
  } else if (targets.empty() && any_language && !map_.targets().empty()) {
    report.summary = "everything is validated already";
  } else if (targets.empty()) {
    report.verdict = Verdict::kNoValidator;
    report.summary = NothingToValidate(arguments.language);
  }
  if (options_.events != nullptr) {
    options_.events->Emit(
        EventType::kValidationFinished,
        {{"verdict", std::string(VerdictName(report.verdict))},
         {"targets", std::move(finished)},
         {"failures", failures()},
         {"infra_errors", infra_errors_},
         {"outputs", EncodedPaths(validator_outputs_)},
         {"duration_ms", absl::ToInt64Milliseconds(options_.clock->Monotonic() - start)}});
  }
  last_report_ = report;
  return report;
}

absl::StatusOr<ValidationResult> Gate::ValidateTarget(const TargetKey& key, bool force_cold,
                                                      bool question) {
  // A second attempt: the validator changed files, such as a lock file. A third: a cache answered
  // without opening a changed file, so the validator runs cold.
  constexpr int kMaxAttempts = 3;
  ValidationResult result;
  FileStamps also_read;  // by the attempt before
  bool unseen_changed = false;
  bool asks_cold = false;
  int changed_runs = 0;
  for (int attempt = 0; attempt < kMaxAttempts && changed_runs < 2; ++attempt) {
    const Target* found = map_.Find(key);
    if (found == nullptr) {
      result = ValidationResult();
      result.verdict = Verdict::kRemoved;
      result.message = "the project is gone";
      return result;
    }
    const Target target = *found;
    if (target.validator == nullptr) {
      result.verdict = Verdict::kNoValidator;
      result.message = absl::StrCat("no validator is on offer for ", target.project.language->name);
      result.toolchain.install_hint = target.project.language->install_hint;
      if (!question) ApplySyntaxRule(target, &result);
      return result;
    }
    // Nothing tells a build tool that a file changed which is no input: only a cold run will do.
    const bool unseen_change =
        tracker_.HasPassed(key, target.inputs) && !DirtyPaths(target).empty();
    const bool cold = force_cold || unseen_change || unseen_changed || asks_cold;
    STILE_ASSIGN_OR_RETURN(ValidatorRun run, RunValidator(target, cold));
    if (run.result.verdict == Verdict::kInfraError) {
      STILE_ASSIGN_OR_RETURN(run, RunValidator(target, /*force_cold=*/true));
    }
    result = std::move(run.result);
    STILE_ASSIGN_OR_RETURN(const std::vector<FileChange> changes, Refresh());
    const size_t outputs = validator_outputs_.size();
    for (const FileChange& change : changes) {
      // If writes are observed, other new files come from other processes.
      const bool wrote = !run.observed.has_value() || run.observed->written.count(change.path) > 0;
      if (wrote && change.kind == FileChange::Kind::kAdded &&
          !IsWatched(change.path, *options_.languages, options_.settings.watch)) {
        validator_outputs_.insert(change.path);
      }
    }
    if (validator_outputs_.size() != outputs) map_ = BuildMap(current_);
    const Target* after = map_.Find(key);
    const auto before = std::exchange(also_read, std::move(run.read.files));
    unseen_changed =
        std::any_of(run.unsettled.begin(), run.unsettled.end(), [&](const std::string& path) {
          const auto known = before.find(path);
          return known == before.end() || !SameFile(known->second, also_read.at(path));
        });
    if (after == nullptr || after->inputs != target.inputs || unseen_changed) {
      result.verdict = Verdict::kChangedDuringRun;
      result.message = "files changed while they were validated";
      ++changed_runs;
      continue;
    }
    if (!question) STILE_RETURN_IF_ERROR(ApplyReportRule(target, &result));
    if (result.verdict == Verdict::kFail && !question) {
      STILE_RETURN_IF_ERROR(ApplyBaselineRule(target, &result));
    }
    const bool pass = result.verdict == Verdict::kPass ||
                      (result.verdict == Verdict::kFlakyPass && options_.settings.allow_flaky);
    if (pass) {
      tracker_.RecordPass(key, target.inputs);
      TargetState& state = StateOf(key);
      state.evidence = EvidenceOf(target, result, run.observed.has_value());
      state.details = {result.files_read, result.excused_errors, result.tests, result.named_tests,
                       run.observed.has_value()};
      state.read = {std::move(also_read), std::move(run.read.folders),
                    std::move(run.read.by_tools)};
      NoteCompiled(key, result, &run);
      // It could pass, so errors from now on are not old ones.
      if (!result.excused_errors) state.baseline_errors = {/*asked=*/true, std::nullopt};
      if (!run.cold && !asks_cold && !question && ShouldAskCold(target)) {
        asks_cold = true;
        also_read = state.read.files;
        continue;
      }
    } else if (!question) {
      if (result.verdict == Verdict::kNoValidator) ApplySyntaxRule(target, &result);
      STILE_RETURN_IF_ERROR(NoteRedTests(target, result));
      STILE_RETURN_IF_ERROR(NoteNoPass(key, result));
    }
    return result;
  }
  if (!question) STILE_RETURN_IF_ERROR(NoteNoPass(key, result));
  return result;
}

// On disk at once, as what has changed: the run may be killed before its end. Errors of syntax are
// looked for again at each finish, and no validator that passes would lift a refusal.
absl::Status Gate::NoteNoPass(const TargetKey& target, const ValidationResult& result) {
  tracker_.RecordNoPass(target, result.is_syntax_check ? Verdict::kNoValidator : result.verdict);
  return options_.remembers_changes ? SavePending() : absl::OkStatus();
}

// Build tools know which code compilers read. Dependencies on data, and on code that generators and
// scripts read, are often not declared, and a file that is gone can leave its outputs behind.
bool Gate::NeedsColdRun(const Target& target,
                        const ValidatorState::Preparation& preparation) const {
  const std::vector<std::string>& changed = preparation.changed;
  return std::any_of(changed.begin(), changed.end(), [&](const std::string& path) {
    const bool is_build_file = !options_.languages->OfBuildFile(path).empty();
    const bool is_known = options_.languages->OfFile(path) != nullptr || is_build_file;
    if (!is_build_file && preparation.read.by_tools.count(path) > 0) return true;
    return !is_known || (target.inputs.count(path) == 0 && !current_.Contains(path));
  });
}

// A program or script of the workspace that a declared command ran, that it does not judge, and
// that the run changed.
std::optional<std::string> Gate::ChangedJudge(const Target& target, const ValidatorRun& run) const {
  if (!run.observed.has_value() || !target.project.language->declared) return std::nullopt;
  const absl::Time run_began = absl::FromUnixNanos(baseline_.taken_at_ns());
  for (const std::string& path : run.observed->ran) {
    if (std::binary_search(target.code_files.begin(), target.code_files.end(), path)) continue;
    const FileRecord* const now = current_.Find(path);
    const FileRecord* const before = baseline_.Find(path);
    const bool is_changed = now != nullptr
                                ? before == nullptr || !(before->hash == now->hash)
                                : ChangedSince(JoinPath(options_.workspace, path), run_began);
    if (is_changed) return path;
  }
  return std::nullopt;
}

absl::StatusOr<Gate::ValidatorRun> Gate::RunValidator(const Target& target, bool force_cold) {
  const absl::Duration start = options_.clock->Monotonic();
  const absl::Time began = options_.clock->Now();
  const bool observes = Observes();
  STILE_ASSIGN_OR_RETURN(
      ValidatorState state,
      ValidatorState::Open(options_.file_system, JoinPath(options_.state_dir, "validators"),
                           target.key));
  STILE_ASSIGN_OR_RETURN(ValidatorState::Preparation preparation,
                         state.Prepare(options_.workspace, target.inputs, force_cold, observes));
  if (!preparation.cold && NeedsColdRun(target, preparation)) {
    STILE_ASSIGN_OR_RETURN(preparation, state.Prepare(options_.workspace, target.inputs,
                                                      /*force_cold=*/true, observes));
  }
  ValidationRequest request;
  request.project = &target.project;
  request.changed = std::move(preparation.changed);
  request.cold = preparation.cold;
  request.state_dir = RealPath(state.state_dir()).value_or(state.state_dir());
  request.environment = clean_environment_;
  request.network = NeedsNetwork(*target.project.language, target.validator->id());
  // stat calls are observed in cold runs only: they double the time of some tools, and the files
  // that a cold run did not find stay known.
  const std::string copy = request.copy_dir();
  ObservingRunner observer(options_.runner, {options_.workspace, copy}, request.cold);
  request.runner = observes ? &observer : options_.runner;
  request.clock = options_.clock;
  request.cancellation = options_.cancellation;
  request.log = options_.log;
  ValidatorRun run;
  run.cold = request.cold;
  const PinnedScripts scripts(options_.workspace, target.validator->scripts(target.project),
                              baseline_);
  STILE_ASSIGN_OR_RETURN(run.result, target.validator->Validate(request));
  ValidationResult& result = run.result;
  result.duration = options_.clock->Monotonic() - start;
  // A run that can replace the compiler decides its verdict.
  const absl::Time run_began = absl::FromUnixNanos(baseline_.taken_at_ns());
  if (const auto script = scripts.Changed(run_began); script.has_value()) {
    result.verdict = Verdict::kInfraError;
    result.diagnostics.clear();
    result.message = absl::StrCat(
        "the command of ", target.validator->id(), " uses ", ToUtf8(*script),
        ", which was changed during this run, so its verdict does not count; put the file back as "
        "it was when the run began (changes of it count from the next run on)");
    return run;
  }
  if (const auto changed = CompilerFileChangedSince(result.toolchain.program, run_began);
      changed.has_value() && baseline_.taken_at_ns() > 0 && !scripts.Holds(*changed)) {
    result.verdict = Verdict::kInfraError;
    result.diagnostics.clear();
    result.message = absl::StrCat("the compiler was changed during this run: ", ToUtf8(*changed),
                                  "; what it says does not count before the next run");
    return run;
  }
  if (observes) {
    const auto uses = observer.uses();
    if (uses.has_value()) {
      run.observed = InterpretUses(
          *uses, {options_.workspace, copy, target.validator->compilers(), run_began});
    } else if (result.verdict == Verdict::kPass || result.verdict == Verdict::kFlakyPass) {
      result.verdict = Verdict::kInfraError;
      result.message =
          "a program of the build could not be observed, so what it read is not known; run it "
          "without a supervisor of its own (gdb, strace, a container), or see stile doctor";
      return run;
    }
  }
  if (const auto script = ChangedJudge(target, run); script.has_value()) {
    result.verdict = Verdict::kInfraError;
    result.diagnostics.clear();
    result.message = absl::StrCat(
        "the command of ", target.validator->id(), " ran ", ToUtf8(*script),
        ", which was changed during this run, so its verdict does not count; put the file back as "
        "it was when the run began (changes of it count from the next run on)");
    return run;
  }
  if (run.observed.has_value()) NoteOutputs(target, *run.observed);
  run.read.files = StampsOfRead(target, run, preparation.read.files, began);
  // Incremental builds list less than cold ones.
  run.read.folders = std::move(preparation.read.folders);
  if (run.observed.has_value()) {
    for (auto& [folder, listing] : ListFolders(options_.workspace, *run.observed, began)) {
      run.read.folders[folder] = std::move(listing);
    }
  }
  run.read.by_tools = std::move(preparation.read.by_tools);
  if (run.observed.has_value()) run.read.by_tools.merge(run.observed->read_by_tools);
  for (const auto& [path, stamp] : run.read.files) {
    const FileRecord* const before = current_.Find(path);
    const bool is_known = before != nullptr && stamp.content == before->hash;
    const bool is_own = run.observed.has_value() && run.observed->written.count(path) > 0;
    if (stamp.is_young && !is_known && !is_own) run.unsettled.push_back(path);
  }
  // A report that counts failures is one, whatever the program ended with.
  if (result.verdict == Verdict::kPass && result.tests.has_value() && result.tests->failed > 0) {
    result.verdict = Verdict::kFail;
    result.message = absl::StrCat(Count(static_cast<size_t>(result.tests->failed), "test"),
                                  " failed by its own report, though it ended with success");
  }
  // What a crash or a kill left behind is not trusted again.
  const bool judged = result.verdict == Verdict::kPass || result.verdict == Verdict::kFail ||
                      result.verdict == Verdict::kFlakyPass;
  // State that the build made after overwriting code is not trusted either.
  const bool overwrote =
      run.observed.has_value() &&
      std::any_of(target.code_files.begin(), target.code_files.end(),
                  [&](const std::string& path) { return run.observed->written.count(path) > 0; });
  if (judged && !overwrote) {
    std::optional<ReadSet> read;
    if (run.observed.has_value()) read = run.read;
    STILE_RETURN_IF_ERROR(state.Finish(target.inputs, read));
  }
  return run;
}

void Gate::NameScopes(
    const std::function<absl::StatusOr<std::string>(const std::string& path)>& read,
    std::vector<Diagnostic>* diagnostics) const {
  if (options_.scopes == nullptr) return;
  std::map<std::string, std::vector<Diagnostic*>> by_file;
  for (Diagnostic& diagnostic : *diagnostics) {
    if (diagnostic.severity == Severity::kError) by_file[diagnostic.file].push_back(&diagnostic);
  }
  for (const auto& [path, errors] : by_file) {
    const absl::StatusOr<std::string> text = read(path);
    if (!text.ok()) continue;  // no file of the workspace
    std::vector<int> lines;
    for (const Diagnostic* error : errors) lines.push_back(error->line);
    std::vector<std::string> scopes = options_.scopes->ScopesAt(path, *text, lines);
    for (size_t i = 0; i < errors.size(); ++i) errors[i]->scope = std::move(scopes[i]);
  }
}

// A target that was broken before the run need not be mended by it, only not be made worse.
absl::Status Gate::ApplyBaselineRule(const Target& target, ValidationResult* result) {
  if (options_.settings.baseline == GateSettings::Baseline::kStrict) return absl::OkStatus();
  auto& known = StateOf(target.key).baseline_errors;
  if (!known.asked) {
    const Target* const old = AtStart(target.key);
    if (tracker_.ReferenceOf(target.key) != nullptr && old != nullptr) {
      const absl::StatusOr<ValidationResult> before = ValidateCopy(
          scratch_, *old->validator, old->project, accepted_snapshot_, options_.baseline_content);
      if (absl::IsCancelled(before.status())) return before.status();
      if (!before.ok() && options_.events != nullptr) {
        // Without the old content nothing can be excused: the strict rule holds.
        options_.events->Emit(
            EventType::kLog,
            {{"level", "warning"},
             {"text", absl::StrCat("cannot validate the baseline of ", target.key,
                                   ", so it must build: ", before.status().message())}});
      }
      if (before.ok() && before->verdict == Verdict::kFail &&
          CountErrors(before->diagnostics) > 0) {
        known.value = before->diagnostics;
        const auto read = [this](const std::string& path) -> absl::StatusOr<std::string> {
          const FileRecord* const file = accepted_snapshot_.Find(path);
          if (file == nullptr) return absl::NotFoundError(path);
          return options_.baseline_content->Read(*file);
        };
        NameScopes(read, &*known.value);
      }
    }
    known.asked = true;
  }
  const size_t now = CountErrors(result->diagnostics);
  if (!known.value.has_value() || now == 0) return absl::OkStatus();
  NameScopes(
      [this](const std::string& path) -> absl::StatusOr<std::string> {
        if (!current_.Contains(path)) return absl::NotFoundError(path);
        return options_.file_system->ReadFile(JoinPath(options_.workspace, path), kMaxFileBytes);
      },
      &result->diagnostics);
  std::vector<Diagnostic> fresh = NewErrors(*known.value, result->diagnostics);
  const size_t old = now - fresh.size();
  if (fresh.empty()) {
    result->verdict = Verdict::kPass;
    result->excused_errors = true;
    result->message =
        absl::StrCat("no new errors; ", Count(old, "error"),
                     old == 1 ? " was there before this run" : " were there before this run");
    return absl::OkStatus();
  }
  result->message = absl::StrCat(Count(fresh.size(), "new error"), " (", old,
                                 " more were there before this run and are left out)");
  for (const Diagnostic& d : result->diagnostics) {
    if (d.severity != Severity::kError) fresh.push_back(d);
  }
  result->diagnostics = std::move(fresh);
  return absl::OkStatus();
}

}  // namespace stile

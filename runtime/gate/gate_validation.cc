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

Json FirstErrors(const std::vector<Diagnostic>& diagnostics) {
  constexpr size_t kMaxErrors = 3;
  Json first = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    if (first.size() < kMaxErrors && diagnostic.severity == Severity::kError) {
      first.push_back(ToUtf8(FormatDiagnostic(diagnostic)));
    }
  }
  return first;
}

// Whether one of the paths is another file than before, or was not known.
bool AnyDiffers(const std::vector<std::string>& paths, const FileStamps& before,
                const FileStamps& now) {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
    const auto known = before.find(path);
    return known == before.end() || !SameFile(known->second, now.at(path));
  });
}

ValidationResult WithoutProject() {
  ValidationResult result;
  result.verdict = Verdict::kRemoved;
  result.message = "the project is gone";
  return result;
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

// The report of one target as events have it.
Json Gate::FinishedJson(const Target& target, const ValidationResult& result) const {
  Json entry = TargetJson(target);
  entry["key"] = Base64Encode(target.key);
  entry["verdict"] = std::string(VerdictName(result.verdict));
  entry["command"] = ToUtf8(result.command);
  entry["errors"] = CountErrors(result.diagnostics);
  entry["message"] = ToUtf8(result.message);
  if (result.is_syntax_check) entry["is_syntax_check"] = true;
  entry["duration_ms"] = absl::ToInt64Milliseconds(result.duration);
  entry["first_errors"] = FirstErrors(result.diagnostics);
  const Target* const now = map_.Find(target.key);
  if (now != nullptr && tracker_.HasPassed(target.key, now->inputs)) {
    entry["evidence"] = StateOf(target.key).evidence.value_or(Json());
  }
  return entry;
}

// Counts a validation whose targets are in the report, and tells what remains.
void Gate::CountValidation(ValidationReport* report) {
  const bool infra_error = std::any_of(
      report->targets.begin(), report->targets.end(),
      [](const TargetReport& target) { return target.result.verdict == Verdict::kInfraError; });
  if (!report->targets.empty()) infra_errors_ = infra_error ? infra_errors_ + 1 : 0;
  const std::vector<Blocker> open = UnvalidatedTargets();
  const bool failed = report->verdict == Verdict::kFail || report->verdict == Verdict::kTimeout;
  tracker_.RecordValidation(failed, !open.empty());
  for (const Blocker& target : open) {
    report->remaining.push_back(
        absl::StrCat(target.root, " (", target.validator, "): ", ReasonOf(target)));
  }
}

// The words of the report; where there was nothing to judge also its verdict.
void Gate::Summarize(const ValidateArguments& arguments, const std::vector<Target>& targets,
                     ValidationReport* report) const {
  const auto passed =
      std::count_if(report->targets.begin(), report->targets.end(),
                    [](const TargetReport& target) { return Rank(target.result.verdict) == 0; });
  report->summary = absl::StrCat(passed, " of ", Count(targets.size(), "target"), " passed");
  const bool any_language = arguments.language.empty() || arguments.language == "auto";
  const bool holds_code = std::any_of(targets.begin(), targets.end(), [](const Target& target) {
    return target.level != Level::kBuild || !target.code_files.empty();
  });
  if (arguments.must_judge && !holds_code && !targets.empty() &&
      report->verdict == Verdict::kPass) {
    report->verdict = Verdict::kNoValidator;
    report->summary = "nothing to validate: the projects hold no code file";
  } else if (targets.empty() && any_language && !map_.targets().empty()) {
    report->summary = "everything is validated already";
  } else if (targets.empty()) {
    report->verdict = Verdict::kNoValidator;
    report->summary = NothingToValidate(arguments.language);
  }
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
  Json finished = Json::array();
  for (const Target& target : targets) {
    STILE_ASSIGN_OR_RETURN(ValidationResult result,
                           ValidateTarget(target.key, /*force_cold=*/false));
    if (arguments.must_judge) STILE_RETURN_IF_ERROR(RequireJudgement(target, &result));
    finished.push_back(FinishedJson(target, result));
    if (Rank(result.verdict) > Rank(report.verdict)) report.verdict = result.verdict;
    report.targets.push_back({target.validator_id(), target.project.root, target.level,
                              target.project.language->id, std::move(result)});
  }
  CountValidation(&report);
  Summarize(arguments, targets, &report);
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

// New files that the validator wrote are none of the run's.
void Gate::TakeOutOutputs(const std::vector<FileChange>& changes, const ValidatorRun& run) {
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
}

void Gate::RecordPass(const Target& target, const ValidationResult& result, ValidatorRun* run) {
  tracker_.RecordPass(target.key, target.inputs);
  TargetState& state = StateOf(target.key);
  state.evidence = EvidenceOf(target, result, run->observed.has_value());
  state.details = {result.files_read, result.excused_errors, result.tests, result.named_tests,
                   run->observed.has_value()};
  state.read = std::move(run->read);
  NoteCompiled(target.key, result, run);
  // It could pass, so errors from now on are not old ones.
  if (!result.excused_errors) state.baseline_errors = {/*asked=*/true, std::nullopt};
}

absl::Status Gate::ConcludeNoPass(const Target& target, ValidationResult* result) {
  if (result->verdict == Verdict::kNoValidator) ApplySyntaxRule(target, result);
  STILE_RETURN_IF_ERROR(NoteRedTests(target, *result));
  return NoteNoPass(target.key, *result);
}

absl::StatusOr<ValidationResult> Gate::ValidateTarget(const TargetKey& key, bool force_cold,
                                                      bool question) {
  // A second attempt: the validator changed files, such as a lock file. A third: a cache answered
  // without opening a changed file, so the validator runs cold.
  constexpr int kMaxAttempts = 3;
  ValidationResult result;
  FileStamps read_before;  // by the attempt before
  bool unseen_changed = false;
  bool asks_cold = false;
  int changed_runs = 0;
  for (int attempt = 0; attempt < kMaxAttempts && changed_runs < 2; ++attempt) {
    const Target* found = map_.Find(key);
    if (found == nullptr) return WithoutProject();
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
    TakeOutOutputs(changes, run);
    const Target* after = map_.Find(key);
    const FileStamps before = std::exchange(read_before, run.read.files);
    unseen_changed = AnyDiffers(run.unsettled, before, read_before);
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
      RecordPass(target, result, &run);
      const bool asks_again = !run.cold && !asks_cold && !question && ShouldAskCold(target);
      if (!asks_again) return result;
      asks_cold = true;
      continue;
    }
    if (!question) STILE_RETURN_IF_ERROR(ConcludeNoPass(target, &result));
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

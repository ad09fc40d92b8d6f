#include "runtime/gate/gate_validation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/compiler_integrity.h"
#include "runtime/event/loop_events.h"
#include "runtime/gate/gate_finish.h"
#include "runtime/gate/gate_observation.h"
#include "runtime/gate/gate_syntax.h"
#include "runtime/gate/gate_tests.h"
#include "runtime/gate/gate_validator_run.h"
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

static absl::Status NoteNoPass(GateState* gate, const TargetKey& target,
                               const ValidationResult& result);
static absl::Status ApplyBaselineRule(GateState* gate, const Target& target,
                                      ValidationResult* result);

// A target can hold code of two languages: CMake builds C and C++ in one, even where all of the
// C++ lies in files named as those of C.
static bool IsJudgedAs(const GateState& gate, const Target& target, const std::string& language) {
  const bool holds_it =
      std::any_of(target.code_files.begin(), target.code_files.end(), [&](const std::string& path) {
        const Language* const of_file = gate.options.languages->OfFile(path);
        return of_file != nullptr && of_file->id == language;
      });
  if (holds_it || target.project.language->id == language) return true;
  Project project = target.project;
  project.language = gate.options.languages->Find(language);
  const Validator* const validator = gate.options.validators->ForProject(project, target.level);
  return validator != nullptr && validator == target.validator && !validator->judges_single_files();
}

// Why there is no target for the arguments.
static std::string NothingToValidate(const GateState& gate, const std::string& language) {
  const Language* const wanted = gate.options.languages->Find(language);
  if (wanted == nullptr) return "nothing to validate: no code of a known language";
  std::vector<std::string> names = wanted->project_files;
  for (const std::string& extension : wanted->extensions) {
    names.push_back(absl::StrCat("*", extension));
  }
  return absl::StrCat("nothing to validate: no code of ", wanted->name, " here (",
                      absl::StrJoin(names, ", "), ")");
}

static absl::StatusOr<std::vector<const Target*>> SelectTargets(
    GateState* gate, const ValidateArguments& arguments) {
  const bool any_language = arguments.language.empty() || arguments.language == "auto";
  if (!any_language && gate->options.languages->Find(arguments.language) == nullptr) {
    std::vector<std::string> ids;
    for (const Language& language : gate->options.languages->languages())
      ids.push_back(language.id);
    return absl::InvalidArgumentError(absl::StrCat("unknown language '", arguments.language,
                                                   "'; known: ", absl::StrJoin(ids, ", ")));
  }
  const Level level = arguments.level.value_or(gate->options.settings.level);
  const std::string path = arguments.project_path.empty() ? "." : arguments.project_path;

  std::vector<const Target*> matching;
  size_t deepest = 0;
  for (const Target& target : gate->map.targets()) {
    const bool wanted_level =
        target.level == Level::kBuild || level == Level::kTest || IsRefused(*gate, target.key);
    const std::string& root = target.project.root;
    if (!wanted_level || (!any_language && !IsJudgedAs(*gate, target, arguments.language)))
      continue;
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
    if (!DirtyPaths(*gate, *target).empty() || IsRefused(*gate, target->key))
      dirty.push_back(target);
    if (!gate->tracker.HasPassed(target->key, target->inputs)) not_passed.push_back(target);
  }
  if (arguments.level.has_value()) return not_passed.empty() ? matching : not_passed;
  return dirty.empty() ? not_passed : dirty;
}

// The report of one target as events have it.
static Json FinishedJson(const GateState& gate, const Target& target,
                         const ValidationResult& result) {
  Json entry = TargetJson(target);
  entry["key"] = Base64Encode(target.key);
  entry["verdict"] = std::string(VerdictName(result.verdict));
  entry["command"] = ToUtf8(result.command);
  entry["errors"] = CountErrors(result.diagnostics);
  entry["message"] = ToUtf8(result.message);
  if (result.is_syntax_check) entry["is_syntax_check"] = true;
  entry["duration_ms"] = absl::ToInt64Milliseconds(result.duration);
  entry["first_errors"] = FirstErrors(result.diagnostics);
  const Target* const now = gate.map.Find(target.key);
  if (now != nullptr && gate.tracker.HasPassed(target.key, now->inputs)) {
    entry["evidence"] = gate.StateOf(target.key).evidence.value_or(Json());
  }
  return entry;
}

// Counts a validation whose targets are in the report, and tells what remains.
static void CountValidation(GateState* gate, ValidationReport* report) {
  const bool infra_error = std::any_of(
      report->targets.begin(), report->targets.end(),
      [](const TargetReport& target) { return target.result.verdict == Verdict::kInfraError; });
  if (!report->targets.empty()) gate->infra_errors = infra_error ? gate->infra_errors + 1 : 0;
  const std::vector<Blocker> open = UnvalidatedTargets(gate);
  const bool failed = report->verdict == Verdict::kFail || report->verdict == Verdict::kTimeout;
  gate->tracker.RecordValidation(failed, !open.empty());
  for (const Blocker& target : open) {
    report->remaining.push_back(
        absl::StrCat(target.root, " (", target.validator, "): ", ReasonOf(target)));
  }
}

// The words of the report; where there was nothing to judge also its verdict.
static void SummarizeReport(const GateState& gate, const ValidateArguments& arguments,
                            const std::vector<Target>& targets, ValidationReport* report) {
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
  } else if (targets.empty() && any_language && !gate.map.targets().empty()) {
    report->summary = "everything is validated already";
  } else if (targets.empty()) {
    report->verdict = Verdict::kNoValidator;
    report->summary = NothingToValidate(gate, arguments.language);
  }
}

absl::StatusOr<ValidationReport> ValidateSelected(GateState* gate,
                                                  const ValidateArguments& arguments) {
  const absl::Duration start = gate->options.clock->Monotonic();
  STILE_RETURN_IF_ERROR(RefreshWorkspace(gate).status());
  STILE_ASSIGN_OR_RETURN(const std::vector<const Target*> selected, SelectTargets(gate, arguments));
  std::vector<Target> targets;  // copies: the map is rebuilt while validators run
  Json started = Json::array();
  for (const Target* target : selected) {
    targets.push_back(*target);
    started.push_back(TargetJson(*target));
  }
  if (gate->options.events != nullptr) {
    gate->options.events->Emit(ValidationStartedEvent{std::move(started)});
  }
  ValidationReport report;
  Json finished = Json::array();
  for (const Target& target : targets) {
    STILE_ASSIGN_OR_RETURN(ValidationResult result,
                           ValidateTarget(gate, target.key, /*force_cold=*/false));
    if (arguments.must_judge) STILE_RETURN_IF_ERROR(RequireJudgement(gate, target, &result));
    finished.push_back(FinishedJson(*gate, target, result));
    if (Rank(result.verdict) > Rank(report.verdict)) report.verdict = result.verdict;
    report.targets.push_back({target.validator_id(), target.project.root, target.level,
                              target.project.language->id, std::move(result)});
  }
  CountValidation(gate, &report);
  SummarizeReport(*gate, arguments, targets, &report);
  if (gate->options.events != nullptr) {
    gate->options.events->Emit(ValidationFinishedEvent{
        .verdict = std::string(VerdictName(report.verdict)),
        .targets = std::move(finished),
        .failures = gate->tracker.failures(),
        .infra_errors = gate->infra_errors,
        .outputs = EncodedPaths(gate->validator_outputs),
        .duration_ms = absl::ToInt64Milliseconds(gate->options.clock->Monotonic() - start)});
  }
  gate->last_report = report;
  return report;
}

// New files that the validator wrote are none of the run's.
static void TakeOutOutputs(GateState* gate, const std::vector<FileChange>& changes,
                           const ValidatorRun& run) {
  const size_t outputs = gate->validator_outputs.size();
  for (const FileChange& change : changes) {
    // If writes are observed, other new files come from other processes.
    const bool wrote = !run.observed.has_value() || run.observed->written.count(change.path) > 0;
    if (wrote && change.kind == FileChange::Kind::kAdded &&
        !IsWatched(change.path, *gate->options.languages, gate->options.settings.watch)) {
      gate->validator_outputs.insert(change.path);
    }
  }
  if (gate->validator_outputs.size() != outputs) gate->map = BuildMap(*gate, gate->current);
}

static void RecordPass(GateState* gate, const Target& target, const ValidationResult& result,
                       ValidatorRun* run) {
  gate->tracker.RecordPass(target.key, target.inputs);
  TargetState& state = gate->StateOf(target.key);
  state.evidence = EvidenceOf(target, result, run->observed.has_value());
  state.details = {result.files_read, result.excused_errors, result.tests, result.named_tests,
                   run->observed.has_value()};
  state.read = std::move(run->read);
  NoteCompiled(gate, target.key, result, run);
  // It could pass, so errors from now on are not old ones.
  if (!result.excused_errors) state.baseline_errors = {/*asked=*/true, std::nullopt};
}

static absl::Status ConcludeNoPass(GateState* gate, const Target& target,
                                   ValidationResult* result) {
  if (result->verdict == Verdict::kNoValidator) ApplySyntaxRule(gate, target, result);
  STILE_RETURN_IF_ERROR(NoteRedTests(gate, target, *result));
  return NoteNoPass(gate, target.key, *result);
}

absl::StatusOr<ValidationResult> ValidateTarget(GateState* gate, const TargetKey& key,
                                                bool force_cold, bool question) {
  // A second attempt: the validator changed files, such as a lock file. A third: a cache answered
  // without opening a changed file, so the validator runs cold.
  constexpr int kMaxAttempts = 3;
  ValidationResult result;
  FileStamps read_before;  // by the attempt before
  bool unseen_changed = false;
  bool asks_cold = false;
  int changed_runs = 0;
  for (int attempt = 0; attempt < kMaxAttempts && changed_runs < 2; ++attempt) {
    const Target* found = gate->map.Find(key);
    if (found == nullptr) return WithoutProject();
    const Target target = *found;
    if (target.validator == nullptr) {
      result.verdict = Verdict::kNoValidator;
      result.message = absl::StrCat("no validator is on offer for ", target.project.language->name);
      result.toolchain.install_hint = target.project.language->install_hint;
      if (!question) ApplySyntaxRule(gate, target, &result);
      return result;
    }
    // Nothing tells a build tool that a file changed which is no input: only a cold run will do.
    const bool unseen_change =
        gate->tracker.HasPassed(key, target.inputs) && !DirtyPaths(*gate, target).empty();
    const bool cold = force_cold || unseen_change || unseen_changed || asks_cold;
    STILE_ASSIGN_OR_RETURN(ValidatorRun run, RunValidator(gate, target, cold));
    if (run.result.verdict == Verdict::kInfraError) {
      STILE_ASSIGN_OR_RETURN(run, RunValidator(gate, target, /*force_cold=*/true));
    }
    result = std::move(run.result);
    STILE_ASSIGN_OR_RETURN(const std::vector<FileChange> changes, RefreshWorkspace(gate));
    TakeOutOutputs(gate, changes, run);
    const Target* after = gate->map.Find(key);
    const FileStamps before = std::exchange(read_before, run.read.files);
    unseen_changed = AnyDiffers(run.unsettled, before, read_before);
    if (after == nullptr || after->inputs != target.inputs || unseen_changed) {
      result.verdict = Verdict::kChangedDuringRun;
      result.message = "files changed while they were validated";
      ++changed_runs;
      continue;
    }
    if (!question) STILE_RETURN_IF_ERROR(ApplyReportRule(gate, target, &result));
    if (result.verdict == Verdict::kFail && !question) {
      STILE_RETURN_IF_ERROR(ApplyBaselineRule(gate, target, &result));
    }
    const bool pass = result.verdict == Verdict::kPass ||
                      (result.verdict == Verdict::kFlakyPass && gate->options.settings.allow_flaky);
    if (pass) {
      RecordPass(gate, target, result, &run);
      const bool asks_again = !run.cold && !asks_cold && !question && ShouldAskCold(gate, target);
      if (!asks_again) return result;
      asks_cold = true;
      continue;
    }
    if (!question) STILE_RETURN_IF_ERROR(ConcludeNoPass(gate, target, &result));
    return result;
  }
  if (!question) STILE_RETURN_IF_ERROR(NoteNoPass(gate, key, result));
  return result;
}

// On disk at once, as what has changed: the run may be killed before its end. Errors of syntax are
// looked for again at each finish, and no validator that passes would lift a refusal.
static absl::Status NoteNoPass(GateState* gate, const TargetKey& target,
                               const ValidationResult& result) {
  gate->tracker.RecordNoPass(target,
                             result.is_syntax_check ? Verdict::kNoValidator : result.verdict);
  return gate->options.remembers_changes ? SavePending(gate) : absl::OkStatus();
}

// Names the scope of each error. `read` gives the content that was judged.
static void NameScopes(
    const GateState& gate,
    const std::function<absl::StatusOr<std::string>(const std::string& path)>& read,
    std::vector<Diagnostic>* diagnostics) {
  if (gate.options.scopes == nullptr) return;
  std::map<std::string, std::vector<Diagnostic*>> by_file;
  for (Diagnostic& diagnostic : *diagnostics) {
    if (diagnostic.severity == Severity::kError) by_file[diagnostic.file].push_back(&diagnostic);
  }
  for (const auto& [path, errors] : by_file) {
    const absl::StatusOr<std::string> text = read(path);
    if (!text.ok()) continue;  // no file of the workspace
    std::vector<int> lines;
    for (const Diagnostic* error : errors) lines.push_back(error->line);
    std::vector<std::string> scopes = gate.options.scopes->ScopesAt(path, *text, lines);
    for (size_t i = 0; i < errors.size(); ++i) errors[i]->scope = std::move(scopes[i]);
  }
}

// A target that was broken before the run need not be mended by it, only not be made worse.
static absl::Status ApplyBaselineRule(GateState* gate, const Target& target,
                                      ValidationResult* result) {
  if (gate->options.settings.baseline == GateSettings::Baseline::kStrict) return absl::OkStatus();
  auto& known = gate->StateOf(target.key).baseline_errors;
  if (!known.asked) {
    const Target* const old = gate->AtStart(target.key);
    if (gate->tracker.ReferenceOf(target.key) != nullptr && old != nullptr) {
      const absl::StatusOr<ValidationResult> before =
          ValidateCopy(gate->scratch, *old->validator, old->project, gate->accepted_snapshot,
                       gate->options.baseline_content);
      if (absl::IsCancelled(before.status())) return before.status();
      if (!before.ok() && gate->options.events != nullptr) {
        // Without the old content nothing can be excused: the strict rule holds.
        gate->options.events->Emit(
            Warning(absl::StrCat("cannot validate the baseline of ", target.key,
                                 ", so it must build: ", before.status().message())));
      }
      if (before.ok() && before->verdict == Verdict::kFail &&
          CountErrors(before->diagnostics) > 0) {
        known.value = before->diagnostics;
        const auto read = [gate](const std::string& path) -> absl::StatusOr<std::string> {
          const FileRecord* const file = gate->accepted_snapshot.Find(path);
          if (file == nullptr) return absl::NotFoundError(path);
          return gate->options.baseline_content->Read(*file);
        };
        NameScopes(*gate, read, &*known.value);
      }
    }
    known.asked = true;
  }
  const size_t now = CountErrors(result->diagnostics);
  if (!known.value.has_value() || now == 0) return absl::OkStatus();
  NameScopes(
      *gate,
      [gate](const std::string& path) -> absl::StatusOr<std::string> {
        if (!gate->current.Contains(path)) return absl::NotFoundError(path);
        return gate->options.file_system->ReadFile(JoinPath(gate->options.workspace, path),
                                                   kMaxFileBytes);
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

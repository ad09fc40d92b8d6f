#include "tools/edit/trial.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/baseline.h"
#include "runtime/coverage/canary.h"
#include "tools/language/language_backend.h"

namespace stile {

bool IsGradual(const Language& language) {
  return LanguageBackendOf(language.id).naming.gradual_types;
}

absl::Status TryPlan(const EditPlan& plan, const TrialContext& trial) {
  if (plan.HasOverlap()) return absl::InternalError("the edits of the plan overlap");
  if (trial.may_change) {
    STILE_RETURN_IF_ERROR(trial.may_change(plan.OldPaths()));
    STILE_RETURN_IF_ERROR(trial.may_change(plan.NewPaths()));
  }
  for (const auto& [path, file] : plan.files()) trial.edits->Expect(path, file.before);
  return trial.edits->Try(plan.Contents(trial.workspace));
}

absl::StatusOr<std::string> VerifyErrorsAreReported(
    const EditPlan& plan, const ProbeReport& report,
    const std::map<std::string, std::string>& possible_users, const TrialContext& trial) {
  constexpr int kMaxProbes = 6;
  const std::string because =
      absl::StrCat("; the compiler has errors to report that were there before, like ",
                   FormatDiagnostic(report.errors[0]));
  std::map<std::string, TentativeEdits::Content> contents = plan.Contents(trial.workspace);
  std::vector<std::string> asked = plan.NewPaths();
  std::map<std::string, std::string> open;
  for (const std::string& path : asked) {
    const auto content = contents.find(path);
    if (content != contents.end() && content->second.text.has_value()) {
      open[path] = *content->second.text;
    }
  }
  for (const auto& [path, text] : possible_users) {
    if (contents.count(path) > 0) continue;  // changed, moved or deleted
    if (trial.may_change && !trial.may_change({path}).ok()) {
      return absl::StrCat("no error may be planted in ", ToUtf8(path), because);
    }
    open[path] = text;
    asked.push_back(path);
  }
  for (auto file = open.begin(); file != open.end();) {
    const Language* language = trial.languages->OfFile(file->first);
    const bool has_canary = language != nullptr && !language->canary_meaning.empty();
    file = has_canary ? std::next(file) : open.erase(file);
  }
  int probes = 0;
  for (bool progress = true; progress && !open.empty() && probes < kMaxProbes; ++probes) {
    progress = false;
    std::map<std::string, TentativeEdits::Content> attempt = contents;
    std::map<std::string, Canary> planted;
    for (const auto& [path, text] : open) {
      auto canary = PlantCanary(*trial.languages->OfFile(path), CanaryKind::kMeaning, text,
                                RandomBits(), /*at_start=*/false);
      if (!canary.has_value()) continue;
      attempt[path].text = canary->content;
      planted.emplace(path, *std::move(canary));
    }
    for (const auto& [path, text] : possible_users) trial.edits->Expect(path, text);
    STILE_RETURN_IF_ERROR(trial.edits->Try(attempt));
    STILE_ASSIGN_OR_RETURN(const ProbeReport answer, trial.service->Probe(asked));
    ValidationResult result;
    result.diagnostics = answer.errors;
    for (const auto& [path, canary] : planted) {
      if (!IsReported(canary, path, result)) continue;
      open.erase(path);
      progress = true;
    }
  }
  STILE_RETURN_IF_ERROR(TryPlan(plan, trial));
  if (open.empty()) return std::string();
  return absl::StrCat("an error planted in ", ToUtf8(open.begin()->first), " is not reported",
                      because);
}

namespace {

absl::Status ApplyOnce(const EditPlan& plan,
                       const std::map<std::string, std::string>& possible_users,
                       const TrialContext& trial, PlanOutcome* outcome_out) {
  PlanOutcome& outcome = *outcome_out;
  STILE_RETURN_IF_ERROR(TryPlan(plan, trial));
  // What is deleted or moved away concerns the projects that it was part of.
  std::vector<std::string> paths = plan.NewPaths();
  ++outcome.rounds;
  STILE_ASSIGN_OR_RETURN(const ProbeReport after, trial.service->Probe(paths));
  outcome.judged = after.judged;
  outcome.unjudged = after.unjudged;
  outcome.unanswered = after.unanswered;
  if (after.judged) outcome.unread = UnreadFiles(plan, after, *trial.languages);
  outcome.is_stuck = after.is_stuck;
  outcome.warnings = after.warnings;
  if (!after.judged || after.errors.empty()) {
    outcome.applied = !after.is_stuck;
    return absl::OkStatus();
  }
  STILE_RETURN_IF_ERROR(trial.edits->Try({}));
  ++outcome.rounds;
  STILE_ASSIGN_OR_RETURN(ProbeReport before, trial.service->Probe(plan.OldPaths()));
  // What was wrong with a file is wrong with it in its new place.
  for (Diagnostic& error : before.errors) {
    const auto moved = plan.files().find(error.file);
    if (moved != plan.files().end()) error.file = moved->second.NewPath();
  }
  before.errors.insert(before.errors.end(), trial.revealed.begin(), trial.revealed.end());
  outcome.errors = NewErrors(before.errors, after.errors);
  if (!outcome.errors.empty()) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(outcome.unjudged,
                         VerifyErrorsAreReported(plan, after, possible_users, trial));
  outcome.judged = outcome.unjudged.empty();
  outcome.applied = true;
  return absl::OkStatus();
}

// Go rejects imports that nothing uses any more: what a change leaves behind goes with it. False
// when other errors are there, too.
bool DropUnusedImports(const std::vector<Diagnostic>& errors, EditPlan* plan) {
  for (const Diagnostic& error : errors) {
    const size_t open = error.message.find('"');
    const size_t close = error.message.find('"', open + 1);
    const auto file = plan->files().find(error.file);
    if (!absl::StrContains(error.message, "imported and not used") || close == std::string::npos ||
        file == plan->files().end() || !file->second.before.has_value()) {
      return false;
    }
    const absl::string_view before = *file->second.before;
    const size_t at = before.find(error.message.substr(open, close + 1 - open));
    if (at == absl::string_view::npos) return false;
    size_t begin = at == 0 ? 0 : before.rfind('\n', at) + 1;
    const size_t end = std::min(before.find('\n', at), before.size() - 1) + 1;
    // gofmt leaves no blank line before the end of a group.
    const bool is_last = absl::StartsWith(before.substr(end), ")");
    if (is_last && absl::EndsWith(before.substr(0, begin), "\n\n")) --begin;
    plan->EditText(error.file, before,
                   {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""});
  }
  return !errors.empty();
}

// Rust warns of a `use` that nothing needs: one that the plan itself brought is left out. False
// when there is none.
bool DropNeedlessUses(const std::vector<Diagnostic>& diagnostics, EditPlan* plan) {
  bool dropped = false;
  for (const Diagnostic& diagnostic : diagnostics) {
    absl::string_view name = diagnostic.message;
    if (!absl::ConsumePrefix(&name, "unused import: `")) continue;
    name = name.substr(0, name.find('`'));
    dropped |= plan->DropLine(diagnostic.file, absl::StrCat("use ", name, ";"));
  }
  return dropped;
}

}  // namespace

std::vector<std::string> UnreadFiles(const EditPlan& plan, const ProbeReport& report,
                                     const LanguageRegistry& languages) {
  std::vector<std::string> unread;
  if (!report.files_read.has_value()) return unread;
  const std::set<std::string> read(report.files_read->begin(), report.files_read->end());
  for (const auto& [path, file] : plan.files()) {
    const bool is_code = !file.deleted && languages.OfFile(file.NewPath()) != nullptr;
    if (is_code && read.count(file.NewPath()) == 0) unread.push_back(file.NewPath());
  }
  return unread;
}

absl::StatusOr<PlanOutcome> ApplyPlan(EditPlan* plan,
                                      const std::map<std::string, std::string>& possible_users,
                                      const TrialContext& trial) {
  PlanOutcome outcome;
  STILE_RETURN_IF_ERROR(ApplyOnce(*plan, possible_users, trial, &outcome));
  const bool has_dropped = outcome.errors.empty() ? DropNeedlessUses(outcome.warnings, plan)
                                                  : DropUnusedImports(outcome.errors, plan) ||
                                                        DropNeedlessUses(outcome.errors, plan);
  if (has_dropped) {
    outcome.errors.clear();
    STILE_RETURN_IF_ERROR(ApplyOnce(*plan, possible_users, trial, &outcome));
  }
  return outcome;
}

namespace {

// The files of the plan by the id of their language.
std::map<std::string, std::vector<std::string>> PathsByLanguage(const EditPlan& plan,
                                                                const TrialContext& trial) {
  std::map<std::string, std::vector<std::string>> by_language;
  for (const std::string& path : plan.NewPaths()) {
    const Language* language = trial.languages->OfFile(path);
    if (language != nullptr) by_language[language->id].push_back(path);
  }
  return by_language;
}

}  // namespace

absl::StatusOr<std::set<std::string>> FilesOfUnjudgedLanguages(const EditPlan& plan,
                                                               const TrialContext& trial,
                                                               ProbeReport* whole) {
  const auto by_language = PathsByLanguage(plan, trial);
  std::set<std::string> unjudged;
  if (by_language.size() < 2 || whole->is_stuck) return unjudged;
  bool is_any_judged = false;
  for (const auto& [language, paths] : by_language) {
    STILE_ASSIGN_OR_RETURN(const ProbeReport report, trial.service->Probe(paths));
    if (report.is_stuck) {
      *whole = report;
      return std::set<std::string>();
    }
    is_any_judged |= report.judged;
    if (!report.judged) unjudged.insert(paths.begin(), paths.end());
  }
  if (!is_any_judged) unjudged.clear();
  return unjudged;
}

absl::StatusOr<std::vector<Diagnostic>> ErrorsByLanguage(const EditPlan& plan,
                                                         const TrialContext& trial) {
  const auto by_language = PathsByLanguage(plan, trial);
  std::vector<Diagnostic> found;
  if (by_language.size() < 2) return found;
  for (const auto& [language, paths] : by_language) {
    STILE_RETURN_IF_ERROR(TryPlan(plan, trial));
    STILE_ASSIGN_OR_RETURN(const ProbeReport after, trial.service->Probe(paths));
    if (!after.judged || after.errors.empty()) continue;
    STILE_RETURN_IF_ERROR(trial.edits->Try({}));
    STILE_ASSIGN_OR_RETURN(const ProbeReport before, trial.service->Probe(paths));
    for (Diagnostic& error : NewErrors(before.errors, after.errors)) {
      found.push_back(std::move(error));
    }
  }
  return found;
}

}  // namespace stile

#include "tools/refactor/oracle.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "runtime/base/status.h"
#include "runtime/gate/baseline.h"

namespace stile {

bool IsGradual(const Language& language) {
  return language.id == "python" || language.id == "typescript" || language.id == "javascript";
}

absl::Status TryPlan(const EditPlan& plan, const Oracle& oracle) {
  if (oracle.may_change) {
    STILE_RETURN_IF_ERROR(oracle.may_change(plan.OldPaths()));
    STILE_RETURN_IF_ERROR(oracle.may_change(plan.NewPaths()));
  }
  for (const auto& [path, file] : plan.files()) oracle.edits->Expect(path, file.before);
  return oracle.edits->Try(plan.Contents(oracle.workspace));
}

namespace {

absl::Status ApplyOnce(const EditPlan& plan, const Oracle& oracle, PlanOutcome* outcome_out) {
  PlanOutcome& outcome = *outcome_out;
  STILE_RETURN_IF_ERROR(TryPlan(plan, oracle));
  // What is deleted or moved away concerns the projects that it was part of.
  std::vector<std::string> paths = plan.NewPaths();
  ++outcome.rounds;
  STILE_ASSIGN_OR_RETURN(const ProbeReport after, oracle.service->Probe(paths));
  outcome.judged = after.judged;
  outcome.unjudged = after.unjudged;
  outcome.is_stuck = after.is_stuck;
  if (!after.judged || after.errors.empty()) {
    outcome.applied = !after.is_stuck;
    return absl::OkStatus();
  }
  STILE_RETURN_IF_ERROR(oracle.edits->Try({}));
  ++outcome.rounds;
  STILE_ASSIGN_OR_RETURN(const ProbeReport before, oracle.service->Probe(plan.OldPaths()));
  outcome.errors = NewErrors(before.errors, after.errors);
  if (!outcome.errors.empty()) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(TryPlan(plan, oracle));
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
    const size_t begin = at == 0 ? 0 : before.rfind('\n', at) + 1;
    const size_t end = std::min(before.find('\n', at), before.size() - 1) + 1;
    plan->EditText(error.file, before,
                   {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""});
  }
  return !errors.empty();
}

}  // namespace

absl::StatusOr<PlanOutcome> ApplyPlan(EditPlan* plan, const Oracle& oracle) {
  PlanOutcome outcome;
  STILE_RETURN_IF_ERROR(ApplyOnce(*plan, oracle, &outcome));
  if (!outcome.errors.empty() && DropUnusedImports(outcome.errors, plan)) {
    outcome.errors.clear();
    STILE_RETURN_IF_ERROR(ApplyOnce(*plan, oracle, &outcome));
  }
  return outcome;
}

}  // namespace stile

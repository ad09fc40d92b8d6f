#include "tools/code/carry_plan.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/tentative_edits.h"
#include "tools/code/refactor_text.h"

namespace stile {
namespace {

std::string JudgementOf(const PlanOutcome& outcome, const CarriedPlan& carried,
                        const LanguageRegistry& languages) {
  if (!carried.revealed.empty()) return "The error is gone.\n";
  const std::string judgement =
      Judgement(outcome.judged, outcome.unjudged, carried.plan, outcome.unread, languages);
  if (outcome.judged || carried.judged_by.empty()) return judgement;
  return absl::StrCat(carried.judged_by, " no longer reports the error. ", judgement);
}

std::string Refusal(const PlanOutcome& outcome) {
  if (outcome.is_stuck) {
    return absl::StrCat("Nothing was changed: the compiler gave no answer. ", outcome.unjudged);
  }
  if (!outcome.judged) return absl::StrCat("Nothing was changed. ", outcome.unjudged);
  std::string text = "Nothing was changed: it does not build afterwards.\n";
  AppendErrors(outcome.errors, &text);
  return absl::StrCat(text, "Mend these places first, or use file.modify.");
}

}  // namespace

ToolResult CarryPlan(CarriedPlan carried, const Json& arguments, const RefactorHost& host) {
  EditPlan& plan = carried.plan;
  const ToolContext& context = *host.context;
  if (IsPreview(arguments)) {
    return ToolResult::Success(absl::StrCat(carried.would, ": ", Size(plan),
                                            ". Nothing was changed.\n", ShownDiff(plan, context)),
                               ResultJson(false, plan, {}));
  }
  TentativeEdits edits = host.NewEdits();
  std::map<std::string, std::string> possible_users;
  for (const Reference& use : carried.likely)
    possible_users.emplace(use.file->path, use.file->text);
  TrialContext trial = host.OracleFor(&edits);
  trial.revealed = carried.revealed;
  auto outcome = ApplyPlan(&plan, possible_users, trial);
  const LanguageRegistry& languages = host.index->languages();
  if (outcome.ok() && outcome->applied && !outcome->judged) {
    Json ignored;
    if (carried.needs_compiler || !carried.likely.empty()) {
      outcome->applied = false;
      outcome->unjudged = absl::StrCat("No compiler could judge it: ", outcome->unjudged, ".");
    } else if (!NoteSyntax(languages, plan, &ignored).empty()) {
      outcome->applied = false;
      outcome->unjudged = "It would break the syntax, and there is no compiler to ask.";
    }
  }
  if (auto failed = Settle(outcome.status(), outcome.ok() && outcome->applied, &edits)) {
    return *std::move(failed);
  }
  if (!outcome->applied) return ToolResult::Error(Refusal(*outcome));
  Json data = ResultJson(true, plan, {});
  data["validation"] = {{"judged", outcome->judged}, {"rounds", outcome->rounds}};
  if (!outcome->judged) data["validation"]["message"] = outcome->unjudged;
  std::string unjudged;
  NoteUnanswered(outcome->unanswered, &unjudged, &data);
  NoteUnread(outcome->unread, &unjudged, &data);
  const std::string syntax = NoteSyntax(languages, plan, &data);
  return ToolResult::Success(
      absl::StrCat(carried.done, ": ", Size(plan), ". ", JudgementOf(*outcome, carried, languages),
                   unjudged, syntax, ShownDiff(plan, context)),
      std::move(data));
}

}  // namespace stile

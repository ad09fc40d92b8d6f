#include "runtime/story/step_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/delivery/work_place.h"
#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"
#include "runtime/story/step_retry.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

std::vector<std::string> Union(const std::vector<std::string>& a,
                               const std::vector<std::string>& b) {
  std::set<std::string> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return {all.begin(), all.end()};
}

// Where the place is not checked out as it was; "" if it is.
absl::StatusOr<std::string> WhereItWent(const StepPlace& place) {
  const absl::StatusOr<std::string> branch = place.repository->CurrentBranch();
  if (!branch.ok()) return branch.status();
  if (*branch != place.branch) {
    return absl::StrCat("left ", place.branch.empty() ? "its working tree" : place.branch, " for ",
                        branch->empty() ? "a detached HEAD" : DisplayPath(*branch));
  }
  if (!place.branch.empty()) return "";
  const absl::StatusOr<std::string> head = place.repository->Head();
  if (!head.ok()) return head.status();
  return *head == place.head ? "" : absl::StrCat("moved HEAD to ", head->substr(0, 12));
}

}  // namespace

std::string StepTitle(const Story& story, size_t number) {
  return absl::StrCat("Step ", number, " of ", story.steps.size(), " (",
                      story.steps[number - 1].name, ")");
}

void FailWith(StopReason reason, std::string message, RunResult* result) {
  result->outcome = RunState::kFailed;
  result->reason = reason;
  result->message = std::move(message);
}

void AddFigures(const RunResult& earlier, RunResult* result) {
  result->changed = Union(earlier.changed, result->changed);
  result->usage += earlier.usage;
  result->turns += earlier.turns;
  for (const auto& [tool, calls] : earlier.tools_used) result->tools_used[tool] += calls;
  result->duration += earlier.duration;
  if (!result->certificate.has_value()) result->certificate = earlier.certificate;
}

StepRun::StepRun(const Services& services, size_t number, std::string context)
    : services_(services),
      number_(number),
      step_(services.story->steps[number - 1]),
      context_(std::move(context)),
      cancellation_(services.cancellation) {
  outcome_.number = number;
  outcome_.name = step_.name;
  outcome_.attempts = 0;
}

std::vector<std::string> StepRun::ChangedElsewhere() const {
  // Journals name paths as text; records of changes keep every byte.
  std::set<std::string> changed(outcome_.result.changed.begin(), outcome_.result.changed.end());
  for (const std::string& id : tree_run_ids_) {
    const absl::StatusOr<std::vector<RecordedChange>> recorded = services_.steps->ChangesOf(id);
    if (!recorded.ok()) continue;
    for (const RecordedChange& change : *recorded) changed.insert(change.path);
  }
  return {changed.begin(), changed.end()};
}

std::string StepRun::FirstId() const {
  return absl::StrCat(services_.events->run_id(), ".", number_);
}

const std::string& StepRun::NextRun() {
  ++runs_;
  outcome_.run_id = runs_ == 1 ? FirstId() : absl::StrCat(FirstId(), ".", runs_);
  return outcome_.run_id;
}

// Whether a process that was killed had begun the run after the present one there: then this one
// failed its expectations, and the files are no longer what it left.
bool StepRun::HasNextRun(const StepPlace& place) const {
  return services_.steps->WorkspaceOf(absl::StrCat(FirstId(), ".", runs_ + 1)) == place.workspace;
}

EventSink StepRun::Sink() const {
  return [events = services_.events, number = number_](const Event& event) {
    if (event.type == EventType::kRunStarted || event.type == EventType::kRunFinished) return;
    Json data = event.data;
    data["step"] = number;
    events->Emit(event.type, std::move(data));
  };
}

StepTask StepRun::NewTask(const StepPlace& place) const {
  StepTask task;
  task.name = step_.name;
  task.workspace = place.workspace;
  task.task = step_.description;
  task.context = context_;
  task.cancellation = cancellation_;
  task.agent = step_.agent.empty() ? services_.story->agent : step_.agent;
  task.allow = step_.allow;
  task.max_turns = step_.max_turns > 0 ? step_.max_turns : services_.story->max_turns;
  task.delivered = place.delivered;
  return task;
}

// Turns of earlier processes were played on another cassette, those of this one are known to it.
void StepRun::SetTurns(int turns_before, StepTask* task) const {
  if (services_.other_model) return;
  task->turns_before = turns_before + outcome_.result.turns;
  task->own_turns_before = outcome_.result.turns;
}

void StepRun::Warn(std::string text) const {
  services_.events->Emit(LogEvent{.level = "warning", .text = std::move(text), .step = number_});
}

void StepRun::Run(const StepPlace& place, int turns_before, const Cancellation* cancellation) {
  cancellation_ = cancellation;
  services_.events->Emit(StepStartedEvent{.step = number_,
                                          .name = step_.name,
                                          .of = services_.story->steps.size(),
                                          .step_run_id = FirstId(),
                                          .task = step_.description});
  StepTask task = NewTask(place);
  for (;;) {
    task.run_id = NextRun();
    task.retry = ++outcome_.attempts > 1;
    SetTurns(turns_before, &task);
    task.delivered.insert(task.delivered.end(), outcome_.result.changed.begin(),
                          outcome_.result.changed.end());
    task.go_on = services_.after_end && !HasNextRun(place);
    const bool is_known = services_.steps->WorkspaceOf(task.run_id) == place.workspace;
    Attempt(task, place);
    const RunResult& result = outcome_.result;
    if (HasNextRun(place)) continue;
    if (result.ok() || Cancelled()) return;
    // Its run had succeeded and cannot go on; the user asked for more.
    const bool is_granted =
        task.go_on && is_known && result.reason == StopReason::kExpectationsUnmet;
    const bool may_retry = outcome_.attempts <= step_.retry_max && MayRetry(step_, result, unmet_);
    if (!is_granted && !may_retry) return;
    task.task = FixText(step_, outcome_.attempts, result, unmet_);
    Warn(absl::StrCat(StepTitle(*services_.story, number_), ": attempt ", outcome_.attempts,
                      " failed (", StopReasonName(result.reason), "); trying again",
                      is_granted ? " as the story was resumed"
                                 : absl::StrCat(", ", outcome_.attempts, " of ", step_.retry_max)));
  }
}

void StepRun::Attempt(const StepTask& task, const StepPlace& place) {
  (place.branch.empty() ? tree_run_ids_ : run_ids_).push_back(task.run_id);
  Settle(services_.steps->RunStep(task, Sink()), place);
}

// The figures of all attempts add up; how the last one ended counts.
void StepRun::Settle(absl::StatusOr<RunResult> run, const StepPlace& place) {
  RunResult result;
  if (run.ok()) {
    result = *std::move(run);
  } else {
    FailWith(Cancelled() || absl::IsCancelled(run.status()) ? StopReason::kCancelled
                                                            : StopReason::kInternal,
             FailureText(run.status(), services_.events->run_id()), &result);
  }
  AddFigures(outcome_.result, &result);
  if (result.outcome == RunState::kUnchanged && !result.changed.empty()) {
    result.outcome = RunState::kSucceeded;  // an earlier attempt changed it
  }
  unmet_.clear();
  outcome_.unmet.clear();
  if (result.ok() && !HasNextRun(place)) Measure(place, &result);
  for (const UnmetExpectation& item : unmet_) outcome_.unmet.push_back(item.line);
  if (!unmet_.empty()) {
    FailWith(
        StopReason::kExpectationsUnmet,
        absl::StrCat("It was accepted by the gate, but does not meet the story's expectations:\n- ",
                     absl::StrJoin(outcome_.unmet, "\n- ")),
        &result);
  }
  outcome_.result = std::move(result);
}

void StepRun::Measure(const StepPlace& place, RunResult* result) {
  const auto validate = [&](Level level) {
    return services_.steps->ValidateAll(place.workspace, level);
  };
  absl::StatusOr<std::vector<UnmetExpectation>> unmet =
      CheckExpectations(step_.expect, place.workspace, result->tools_used, validate);
  const absl::StatusOr<std::string> went = WhereItWent(place);
  const absl::Status status = !unmet.ok() ? unmet.status() : went.status();
  if (!status.ok()) {
    return FailWith(Cancelled() ? StopReason::kCancelled : StopReason::kInternal,
                    FailureText(WithContext(status, "Its expectations could not be checked"),
                                services_.events->run_id()),
                    result);
  }
  unmet_ = *std::move(unmet);
  if (!went->empty()) {
    unmet_.push_back(
        {UnmetExpectation::Kind::kOther, absl::StrCat("branch: the step ", *went), ""});
  }
}

void StepRun::TakeOver(const StepPlace& place, const EditSet& merge, int turns_before) {
  cancellation_ = services_.cancellation;
  // What it did there is not there yet.
  outcome_.result.changed.clear();
  outcome_.result.certificate.reset();
  const std::string answer = outcome_.result.answer;
  run_ids_.push_back(NextRun());
  std::string verdict;  // of the last validation
  const EventSink sink = [forward = Sink(), &verdict](const Event& event) {
    if (event.type == EventType::kValidationFinished) {
      verdict = ReadRecord<ValidationFinishedEvent>(event).verdict;
    }
    forward(event);
  };
  absl::StatusOr<RunResult> merged =
      services_.steps->RunMerge({outcome_.run_id, place.workspace,
                                 absl::StrCat(StepTitle(*services_.story, number_),
                                              ": take over what was done beside other steps"),
                                 step_.allow, merge, place.delivered},
                                sink);
  if (merged.ok()) merged->turns = 0;  // no model was asked
  Settle(std::move(merged), place);
  RunResult& result = outcome_.result;
  result.answer = answer;
  if (!result.ok() && verdict == "infra_error") {
    // No failure of the code, so nothing that its agent could mend.
    return FailWith(StopReason::kInfraError, result.message, &result);
  }
  const bool again = HasNextRun(place);
  if ((result.ok() && !again) || result.reason == StopReason::kCancelled ||
      result.reason == StopReason::kInternal || Cancelled()) {
    return;
  }
  Warn(
      absl::StrCat(StepTitle(*services_.story, number_),
                   ": what it did does not fit what the steps beside it did; doing it again on top "
                   "of theirs"));
  StepTask task = NewTask(place);
  const bool is_there = merge.files.empty() || !result.changed.empty();
  task.task = AgainText(step_, !is_there || !merge.obstacle.empty(), result, unmet_);
  task.retry = is_there && merge.obstacle.empty();
  task.run_id = NextRun();
  ++outcome_.attempts;
  SetTurns(turns_before, &task);
  task.delivered.insert(task.delivered.end(), result.changed.begin(), result.changed.end());
  Attempt(task, place);
}

void StepRun::Finish() {
  has_finished_ = true;
  Json data = ToJson(outcome_.result);
  data["step"] = number_;
  data["name"] = outcome_.name;
  data["step_run_id"] = outcome_.run_id;
  data["attempts"] = outcome_.attempts;
  data["unmet"] = outcome_.unmet;
  services_.events->Emit(EventType::kStepFinished, std::move(data));
}

}  // namespace stile

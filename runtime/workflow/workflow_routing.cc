// What follows the end of a step.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/flow_events.h"
#include "runtime/script/expression.h"
#include "runtime/workflow/workflow_runner.h"

namespace stile {
namespace {

constexpr int kMaxRunDepth = 40;
constexpr absl::Duration kMaxDelay = absl::Hours(1);

}  // namespace

void WorkflowRunner::Settle(StepRun run) {
  Scope* const scope = run.scope;
  const int step = run.step;
  const WorkflowStep& itself = Step(step);
  Json output;
  for (int retries = 0;; ++retries) {
    if (absl::IsFailedPrecondition(run.status)) {
      refusal_ = WithContext(run.status, itself.name);
      return End(StopReason::kInternal, std::string(refusal_.message()));
    }
    if (absl::IsUnauthenticated(run.status)) {
      return End(StopReason::kModelError, absl::StrCat(itself.name, ": ", run.status.message()));
    }
    if (!run.status.ok()) {
      const bool cancelled = absl::IsCancelled(run.status);
      return End(cancelled ? StopReason::kCancelled : StopReason::kInternal,
                 cancelled ? "cancelled" : FailureOf(WithContext(run.status, itself.name)));
    }
    // Another run of it would end in the same way.
    if (run.is_over) return;
    output = run.record.reply.output;
    const bool passed = run.record.verdict == StepVerdict::kPassed;
    const Routing& routing = passed ? itself.on_success : itself.on_fail;
    FollowRuns(scope, step, routing, output);
    if (ended()) return;
    if (passed || retries >= routing.max_retries) {
      FollowJump(scope, step, routing, output);
      break;
    }
    if (!Wait(run, routing, retries)) return End(StopReason::kCancelled, "cancelled");
    WorkQueue::Forget(scope, step, plan_->LayerOf(step));
    run = BeginStep(scope, step);
    if (ended()) return;
    std::vector<StepRun> again;
    again.push_back(std::move(run));
    Perform(&again);
    run = std::move(again.front());
    if (run.status.ok()) Keep(run);
  }
  if (ended()) return;
  if (itself.for_each && scope->items().count(step) > 0) {
    scope->lists_to_finish.insert(step);
    return;
  }
  FollowRuns(scope, step, itself.on_finish, output);
  if (!ended()) FollowJump(scope, step, itself.on_finish, output);
}

std::string WorkflowRunner::FailureOf(const absl::Status& status) const {
  return FailureText(status, options_.events == nullptr ? "" : options_.events->run_id());
}

bool WorkflowRunner::Wait(const StepRun& run, const Routing& routing, int retries) {
  // A retry that is on record has been waited for.
  const bool known =
      options_.records->Find(run.record.scope, run.record.step, run.record.run + 1) != nullptr;
  if (routing.delay_ms == 0 || known) return true;
  absl::Duration delay = absl::Milliseconds(routing.delay_ms);
  if (routing.backoff == Routing::Backoff::kExponential) {
    for (int i = 0; i < retries && delay < kMaxDelay; ++i) delay *= 2;
  }
  return options_.clock->Sleep(std::min(delay, kMaxDelay), options_.cancellation);
}

void WorkflowRunner::FinishLists(Scope* scope) {
  const std::set<int> lists = scope->lists_to_finish;
  for (const int list : lists) {
    const auto items = scope->items().find(list);
    const bool busy = items != scope->items().end() &&
                      std::any_of(items->second.begin(), items->second.end(),
                                  [](const std::unique_ptr<Scope>& item) {
                                    return WorkQueue::DueLayer(*item).has_value();
                                  });
    if (busy) continue;
    scope->lists_to_finish.erase(list);
    const Json output = scope->steps()[list].output;
    FollowRuns(scope, list, Step(list).on_finish, output);
    if (ended()) return;
    FollowJump(scope, list, Step(list).on_finish, output);
    if (ended()) return;
  }
}

bool WorkflowRunner::CountTransition(Scope* home, int step) {
  if (home->transitions >= workflow_.max_loops) {
    End(StopReason::kLoopBudget,
        absl::StrCat(Step(step).name, " leads on once more, and routing.max_loops allows ",
                     Count(static_cast<size_t>(workflow_.max_loops), "transition"),
                     home->name().empty() ? "" : absl::StrCat(" in ", home->name())));
    return false;
  }
  ++home->transitions;
  return true;
}

void WorkflowRunner::FailStep(Scope* scope, int step, std::string message) {
  StepState& state = scope->steps()[step];
  state.verdict = StepVerdict::kFailed;
  state.message = std::move(message);
  if (Step(step).for_each) queue_->SkipItems(scope, step, kSkipDependencyFailed);
}

void WorkflowRunner::FollowRuns(Scope* scope, int step, const Routing& routing,
                                const Json& output) {
  std::vector<Routing::Run> targets = routing.run;
  if (!routing.run_js.empty()) {
    const auto result = work_->Result(*scope, step, routing.run_js, &output);
    if (!result.ok()) {
      return FailStep(scope, step, absl::StrCat("run_js: ", result.status().message()));
    }
    EmitLog(result->log);
    const Json& names = result->value;
    const Json list = names.is_string() ? Json::array({names}) : names;
    for (const Json& name : list) {
      Routing::Run target;
      if (name.is_string()) target.step = name.get<std::string>();
      if (workflow_.Find(target.step) < 0) {
        return FailStep(scope, step, absl::StrCat("run_js: there is no step ", DumpJson(name)));
      }
      targets.push_back(std::move(target));
    }
  }
  if (targets.empty() || !CountTransition(scope, step)) return;
  if (run_depth_ >= kMaxRunDepth) {
    return End(StopReason::kLoopBudget,
               absl::StrCat(Step(step).name, ": steps that run steps are nested more than ",
                            kMaxRunDepth, " deep"));
  }
  ++run_depth_;
  for (const Routing::Run& target : targets) {
    if (!ended()) RunTarget(scope, step, target);
  }
  --run_depth_;
}

void WorkflowRunner::RunTarget(Scope* scope, int step, const Routing::Run& target) {
  const int index = workflow_.Find(target.step);
  // For the items of the step itself, or of a list that the target belongs to.
  int list = -1;
  const std::vector<int>& lists = plan_->ListsOf(index);
  if (busy_lists_.count(index) > 0) {
    return FailStep(scope, step,
                    absl::StrCat("run: ", target.step, " is the list for whose items it runs; ",
                                 "only goto leads back to it"));
  }
  if (scope->depth() >= WorkflowPlan::kMaxLists) {
    return FailStep(scope, step,
                    absl::StrCat("run: lists are nested more than ", scope->depth(), " deep"));
  }
  const bool is_dependent = std::find(lists.begin(), lists.end(), step) != lists.end();
  const Fanout fanout = target.fanout.value_or(
      Step(index).fanout.value_or(is_dependent ? Fanout::kMap : Fanout::kReduce));
  if (scope->items().count(step) > 0 && fanout == Fanout::kMap) {
    list = step;
  } else if (lists.size() > scope->depth() && queue_->HomeOf(scope, index) == scope) {
    list = lists[scope->depth()];
  }
  if (list < 0) {
    // What nothing leads to but routes belongs to whoever leads there; the rest has a place.
    const bool is_at_home = !Step(index).manual || Step(index).for_each || !lists.empty() ||
                            !Step(index).depends_on.empty();
    Scope* const place = is_at_home ? queue_->HomeOf(scope, index) : scope;
    if (WorkQueue::Waits(*place, index, plan_->LayerOf(index))) {
      // Its turn comes: what it depends on has not had its own.
      const auto skip = work_->WhyNot(*place, index);
      if (skip.has_value() && skip->reason == kSkipDependencyNotRun) return;
    }
    RunSteps({{place, {index}}});
    if (!ended()) queue_->Wake(place, index);
    return;
  }
  const auto items = scope->items().find(list);
  if (items == scope->items().end()) return;
  const auto busy = busy_lists_.insert(list);
  std::vector<Turn> turns;
  for (const std::unique_ptr<Scope>& item : items->second) {
    turns.push_back({item.get(), {index}});
    if (RunTogether({index}) && &item != &items->second.back()) continue;
    if (!ended()) RunSteps(turns);
    turns.clear();
  }
  busy_lists_.erase(busy);
  if (ended()) return;
  for (const std::unique_ptr<Scope>& item : items->second) queue_->Wake(item.get(), index);
}

absl::StatusOr<std::optional<Goto>> WorkflowRunner::ChooseJump(Scope* scope, int step,
                                                               const Routing& routing,
                                                               const Json& output) {
  for (const Routing::Transition& transition : routing.transitions) {
    const auto holds = work_->Value(*scope, step, transition.when, &output);
    if (!holds.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("when: ", transition.when, ": ", holds.status().message()));
    }
    if (!IsTrue(*holds)) continue;
    if (!transition.to.has_value()) return std::optional<Goto>();
    Goto go;
    go.to = *transition.to;
    go.event = transition.event;
    return std::optional<Goto>(go);
  }
  if (!routing.goto_js.empty()) {
    const auto result = work_->Result(*scope, step, routing.goto_js, &output);
    if (!result.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("goto_js: ", result.status().message()));
    }
    EmitLog(result->log);
    const Json& name = result->value;
    if (IsTrue(name)) {
      Goto go;
      if (name.is_string()) go.to = name.get<std::string>();
      if (workflow_.Find(go.to) < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("goto_js: there is no step ", DumpJson(name)));
      }
      return std::optional<Goto>(go);
    }
  }
  return routing.go;
}

void WorkflowRunner::FollowJump(Scope* scope, int step, const Routing& routing,
                                const Json& output) {
  const auto chosen = ChooseJump(scope, step, routing, output);
  if (!chosen.ok()) return FailStep(scope, step, std::string(chosen.status().message()));
  if (!chosen->has_value()) return;
  const int target = workflow_.Find((*chosen)->to);
  const std::string& event = (*chosen)->event.empty() ? routing.event : (*chosen)->event;
  const std::vector<bool> active = ActiveAt(event.empty() ? options_.event : event);
  const bool forward = (*chosen)->then_forward || workflow_.goes_forward;
  const WorkQueue::Jump jump = queue_->JumpTo(scope, step, target, forward, &active);
  if (!jump.has_work) {
    return FailStep(scope, step,
                    absl::StrCat("goto: ", (*chosen)->to, " runs for the items of ",
                                 Step(plan_->ListsOf(target).back()).name, ", and there are none"));
  }
  if (jump.is_new && !CountTransition(jump.home, step)) return;
  if (jumped_to_ == nullptr || jump.home->depth() < jumped_to_->depth()) jumped_to_ = jump.home;
  EmitAnew(WorkflowJumpedEvent{.scope = NameOf(*scope),
                               .from = Step(step).name,
                               .to = (*chosen)->to,
                               .iteration = jump.home->wave,
                               .transitions = jump.home->transitions});
}

}  // namespace stile

#include "runtime/story/story_runner.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/deadline.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/delivery/delivery.h"
#include "runtime/delivery/finished_work.h"
#include "runtime/delivery/work_place.h"
#include "runtime/delivery/work_trees.h"
#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"
#include "runtime/story/step_run.h"
#include "runtime/story/story_context.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

// What git or the files say no to; the work is then done again where it should have gone.
bool IsObstacle(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) || absl::IsInvalidArgument(status) ||
         absl::IsNotFound(status) || absl::IsResourceExhausted(status);
}

// The end (an index) of the steps that run beside step `first`; first where it runs alone.
size_t EndOfWave(const std::vector<StoryStep>& steps, size_t first) {
  if (!RunsBesideOthers(steps, first)) return first;
  const int wave = steps[first].wave;
  size_t end = first;
  while (end < steps.size() && steps[end].wave == wave) ++end;
  return end;
}

bool HasWaves(const Story& story) {
  for (size_t i = 0; i < story.steps.size(); ++i) {
    if (RunsBesideOthers(story.steps, i)) return true;
  }
  return false;
}

using StepRuns = std::vector<std::unique_ptr<StepRun>>;

// One thing: the state of one story while it runs.
class StorySession {
 public:
  StorySession(const Story& story, const StoryOptions& options, const Cancellation* cancellation,
               ProcessRunner* runner, StepRunner* steps, EventStream* events, WorkPlace place,
               std::string hooks)
      : story_(story),
        options_(options),
        cancellation_(cancellation),
        runner_(runner),
        steps_(steps),
        events_(events),
        place_(std::move(place)),
        hooks_(std::move(hooks)) {
    result_.branch = place_.branch;
    result_.workspace = place_.workspace;
  }

  StoryResult Run() {
    EmitStarted();
    RunResult& overall = result_.overall;
    overall.outcome = RunState::kUnchanged;
    const std::set<std::string> changed(options_.done_changed.begin(), options_.done_changed.end());
    overall.changed.assign(changed.begin(), changed.end());
    for (const RunResult& earlier : options_.done_results) Sum(earlier);
    earlier_turns_ = overall.turns;
    const size_t done = static_cast<size_t>(options_.first_step) - 1;
    if (!overall.ok()) SayFailed(done, overall.message);
    for (size_t i = 0; i < done; ++i) {
      Remember(i + 1, i < options_.done_summaries.size() ? options_.done_summaries[i] : "");
    }
    ForgetTrees(overall.ok() ? done : done - 1);
    for (size_t i = done; i < story_.steps.size() && overall.ok();) {
      if (Cancelled()) {
        CancelBefore(i + 1);
        break;
      }
      const size_t end = EndOfWave(story_.steps, i);
      if (end > i) {
        PlayWave(i, end);
        i = end;
      } else {
        StepRun step_run(Services(), i + 1, context_.Text());
        step_run.Run(OwnPlace(), TurnsBefore());
        Adopt(&step_run);
        ++i;
      }
    }
    if (overall.ok()) Deliver();
    if (overall.ok()) ClearUpEarlier();
    overall.message = absl::StrCat(absl::StripSuffix(overall.message, "\n"), "\n", WhatNext());
    EmitFinished();
    return std::move(result_);
  }

 private:
  bool Cancelled() const { return cancellation_ != nullptr && cancellation_->cancelled(); }

  void SayFailed(size_t number, const std::string& why) {
    RunResult& overall = result_.overall;
    failed_step_ = number;
    overall.message = absl::StrCat(StepTitle(story_, number), " failed (",
                                   StopReasonName(overall.reason), "). ", why);
  }

  void Remember(size_t number, const std::string& answer) {
    context_.Add(number, story_.steps[number - 1].name, answer);
    answers_.emplace_back(story_.steps[number - 1].name, answer);
  }

  StepRun::Services Services() const {
    return {&story_, steps_, events_, cancellation_, options_.after_end, options_.other_model};
  }
  StepPlace OwnPlace() const {
    return {place_.workspace, &place_.repository, place_.branch, "", result_.overall.changed};
  }
  int TurnsBefore() const { return options_.done_turns + result_.overall.turns - earlier_turns_; }

  // A step that has come to its end.
  void Adopt(StepRun* step_run) {
    step_run->Finish();
    run_ids_.insert(run_ids_.end(), step_run->run_ids().begin(), step_run->run_ids().end());
    result_.steps.push_back(step_run->outcome());
    Count(result_.steps.back().result);
    if (result_.overall.ok()) {
      Remember(step_run->number(), result_.overall.answer);
    } else {
      failed_run_id_ = step_run->outcome().run_id;
      SayFailed(step_run->number(), result_.steps.back().result.message);
    }
    if (!options_.on_step_end) return;
    if (const absl::Status status = options_.on_step_end(); !status.ok()) {
      is_recorded_ = false;
      FailAt(step_run->number(), status);
    }
  }

  void FailAt(size_t number, const absl::Status& status) {
    FailWith(absl::IsCancelled(status) ? StopReason::kCancelled : StopReason::kInternal, "",
             &result_.overall);
    SayFailed(number, FailureText(status, events_->run_id()));
  }

  // The steps [first, end) (indices) beside each other; see StoryRunner.
  void PlayWave(size_t first, size_t end) {
    WorkTrees wave(&place_, options_.worktrees_dir, events_->run_id(), runner_, steps_);
    std::vector<StepPlace> places;
    StepRuns step_runs;
    for (size_t i = first; i < end; ++i) {
      absl::StatusOr<StepPlace> place = wave.Prepare(i + 1, result_.overall.changed);
      if (!place.ok()) {
        FailAt(i + 1, place.status());
        return EndWave(&wave, step_runs);
      }
      places.push_back(*std::move(place));
      step_runs.push_back(
          std::make_unique<StepRun>(Services(), i + 1, context_.TextBeside(story_, first, end, i)));
    }
    const size_t failed = RunBeside(places, step_runs);
    for (size_t taken = 0; taken < step_runs.size() && result_.overall.ok(); ++taken) {
      if (WasStopped(*step_runs[taken], failed < step_runs.size())) break;
      TakeOver(&wave, step_runs, taken);
    }
    if (result_.overall.ok() && failed < step_runs.size()) Adopt(step_runs[failed].get());
    if (failed < step_runs.size()) TellStopped(step_runs, failed);
    EndWave(&wave, step_runs);
  }

  void CancelBefore(size_t number) {
    FailWith(StopReason::kCancelled,
             absl::StrCat("Cancelled before ", StepTitle(story_, number), "."), &result_.overall);
  }

  // What step `index` of a wave did elsewhere, into the story's workspace.
  void TakeOver(WorkTrees* wave, const StepRuns& step_runs, size_t index) {
    StepRun& step_run = *step_runs[index];
    if (!step_run.has_run()) return CancelBefore(step_run.number());
    if (step_run.outcome().result.ok()) {
      absl::StatusOr<EditSet> work =
          wave->Merge(step_run.number(), result_.overall.changed, step_run.ChangedElsewhere());
      if (!work.ok() && IsObstacle(work.status())) {
        work = EditSet{{}, std::string(work.status().message())};
      }
      if (!work.ok()) return FailAt(step_run.number(), work.status());
      SayIgnored(*wave, step_run.number());
      step_run.TakeOver(OwnPlace(), *work, TurnsBefore() + TurnsOf(step_runs, index + 1));
    }
    Adopt(&step_run);
  }

  // Whether a step of a wave did not come to its end since another one had failed.
  bool WasStopped(const StepRun& step_run, bool other_failed) const {
    if (!other_failed || Cancelled()) return false;
    return !step_run.has_run() || step_run.outcome().result.reason == StopReason::kCancelled;
  }

  // After the failure of step `failed` (an index) of a wave: the end of those that it cancelled.
  // Their work stays where it is.
  void TellStopped(const StepRuns& step_runs, size_t failed) {
    std::vector<std::string> cancelled;
    for (const std::unique_ptr<StepRun>& step_run : step_runs) {
      if (!WasStopped(*step_run, true)) continue;
      failed_step_ = std::min(failed_step_, step_run->number());
      if (!step_run->has_run()) continue;
      step_run->SayWhyCancelled(absl::StrCat("Cancelled, because ",
                                             StepTitle(story_, step_runs[failed]->number()),
                                             " failed (on_failure: cancel)."));
      step_run->Finish();
      result_.steps.push_back(step_run->outcome());
      AddCost(*step_run);
      cancelled.push_back(absl::StrCat(step_run->number(), " (", step_run->outcome().name, ")"));
    }
    std::stable_sort(
        result_.steps.begin(), result_.steps.end(),
        [](const StepOutcome& a, const StepOutcome& b) { return a.number < b.number; });
    if (cancelled.empty()) return;
    absl::StrAppend(&result_.overall.message, "\nCancelled for it (on_failure: cancel): step ",
                    absl::StrJoin(cancelled, ", step "), ".");
  }

  // What a step took whose work does not count.
  void AddCost(const StepRun& step_run) {
    RunResult cost = step_run.outcome().result;
    cost.changed.clear();
    cost.certificate.reset();
    AddFigures(cost, &result_.overall);
  }

  // Of the steps from `first` on, which are not in the story's figures yet.
  static int TurnsOf(const StepRuns& step_runs, size_t first) {
    int turns = 0;
    for (size_t i = first; i < step_runs.size(); ++i) turns += step_runs[i]->outcome().result.turns;
    return turns;
  }

  // In order, as many at once as may be; none any more behind one that has failed. Under
  // on_failure: cancel, the first one that failed (an index), for which those that still ran were
  // cancelled; else the number of steps. Without threads, nothing runs beside a step that fails.
  size_t RunBeside(const std::vector<StepPlace>& places, const StepRuns& step_runs) {
    std::atomic<size_t> first_failed = step_runs.size();
    std::optional<Deadline> beside;
    if (story_.on_failure == Story::OnFailure::kCancel) beside.emplace(cancellation_);
    const bool cancels = beside.has_value() && beside->status().ok();
    const Cancellation* const shared = cancels ? beside->cancellation() : cancellation_;
    const bool one_by_one = options_.max_parallelism <= 1;
    CallAtOnce(step_runs.size(), static_cast<size_t>(std::max(options_.max_parallelism, 1)),
               [&](size_t i) {
                 if (first_failed < i || (shared != nullptr && shared->cancelled())) return;
                 // Of a cassette that all of them share, those before it have played their part.
                 const int before = TurnsBefore() + (one_by_one ? TurnsOf(step_runs, 0) : 0);
                 step_runs[i]->Run(places[i], before, shared);
                 const RunResult& result = step_runs[i]->outcome().result;
                 if (result.ok() || (cancels && result.reason == StopReason::kCancelled)) return;
                 for (size_t seen = first_failed; i < seen;) {
                   if (first_failed.compare_exchange_weak(seen, i)) break;
                 }
                 if (cancels) beside->Cancel();
               });
    return cancels ? first_failed.load() : step_runs.size();
  }

  // Those of the first `count` steps, whose work a process that was killed had taken over.
  void ForgetTrees(size_t count) {
    if (options_.resumed) ForgetTreesOf(events_->run_id(), count);
  }

  // What runs that this one retries had left for people to look at.
  void ClearUpEarlier() {
    for (const std::string& id : options_.earlier_run_ids) ForgetTreesOf(id, story_.steps.size());
  }

  void ForgetTreesOf(const std::string& run_id, size_t count) {
    if (options_.worktrees_dir.empty()) return;
    WorkTrees wave(&place_, options_.worktrees_dir, run_id, runner_, steps_);
    for (size_t number = 1; number <= count; ++number) {
      if (wave.FolderOf(number).empty()) continue;
      const absl::Status removed = wave.Remove(number);
      if (!removed.ok()) WarnOfTree(number, removed);
    }
  }

  // What git ignores is no part of what the gate judged, nor of a commit; it goes with the tree.
  void SayIgnored(const WorkTrees& wave, size_t number) {
    const std::string ignored = wave.IgnoredFiles(number);
    if (ignored.empty()) return;
    Warn(absl::StrCat(StepTitle(story_, number),
                      ": files that git ignores are not taken over: ", ignored));
  }

  void WarnOfTree(size_t number, const absl::Status& status) {
    Warn(absl::StrCat("the working tree of step ", number, " is left: ", status.message()));
  }

  // Trees whose work has been taken over go; the others are left for people to look at.
  void EndWave(WorkTrees* wave, const StepRuns& step_runs) {
    std::vector<std::string> left;
    for (const std::unique_ptr<StepRun>& entry : step_runs) {
      const StepRun& step_run = *entry;
      // Whoever goes on with the story needs the tree of a step that the journal does not know of.
      if (step_run.has_finished() && step_run.outcome().result.ok() && is_recorded_) {
        const absl::Status removed = wave->Remove(step_run.number());
        if (!removed.ok()) WarnOfTree(step_run.number(), removed);
        continue;
      }
      if (!step_run.has_finished()) AddCost(step_run);
      const std::string folder = wave->FolderOf(step_run.number());
      if (!folder.empty())
        left.push_back(absl::StrCat(step_run.number(), " in ", DisplayPath(folder)));
    }
    if (left.empty()) return;
    absl::StrAppend(&result_.overall.message, "\nWhat was not taken over: step ",
                    absl::StrJoin(left, "; step "), ".");
  }

  void Count(const RunResult& step) {
    Sum(step);
    if (step.certificate.has_value()) certificates_.push_back(*step.certificate);
  }

  // The step's result into that of the story.
  void Sum(const RunResult& step) {
    RunResult& overall = result_.overall;
    RunResult sum = step;
    AddFigures(overall, &sum);
    // A step that changed nothing does not hide that others did.
    const bool changed = overall.outcome == RunState::kSucceeded;
    const bool ungated = overall.outcome == RunState::kUngated;
    if (step.ok() && ungated) sum.outcome = RunState::kUngated;
    if (step.outcome == RunState::kUnchanged && changed) sum.outcome = RunState::kSucceeded;
    overall = std::move(sum);
  }

  // The steps are done: the commit, if there is anything in it.
  void Deliver() {
    RunResult& overall = result_.overall;
    overall.message = absl::StrCat(stile::Count(story_.steps.size(), "step"), " done");
    if (overall.outcome == RunState::kUnchanged && !overall.changed.empty()) {
      overall.outcome = RunState::kSucceeded;  // by the steps done before this process
    }
    FinishedWork work;
    work.place = &place_;
    work.run_id = events_->run_id();
    work.changed = overall.changed;
    work.allowed = options_.paths;
    work.accepted = options_.accepted;
    work.run_ids = run_ids_;
    work.certificates = Certificates();
    work.message =
        CommitMessage(story_.title, answers_, work.run_id, work.certificates, options_.secrets);
    work.hooks = hooks_;
    work.commit = options_.commit;
    work.clean_checkout = options_.clean_room;
    work.scratch_dir = options_.worktrees_dir;
    work.resumed = options_.resumed;
    work.all_done_before = options_.first_step > static_cast<int>(story_.steps.size());
    const WorkDelivery delivered = DeliverWork(work, steps_, cancellation_);
    for (const std::string& warning : delivered.warnings) Warn(warning);
    if (delivered.reason != StopReason::kNone) {
      FailWith(delivered.reason, absl::StrCat("All steps are done, but ", delivered.problem),
               &overall);
      return;
    }
    result_.commit = delivered.commit;
    absl::StrAppend(&overall.message, "; ", delivered.text, ".");
  }

  std::vector<RunResult::CertificateRef> Certificates() const {
    std::vector<RunResult::CertificateRef> certificates = options_.done_certificates;
    certificates.insert(certificates.end(), certificates_.begin(), certificates_.end());
    return certificates;
  }

  void Warn(const std::string& text) { events_->Emit(Warning(text)); }

  std::string WhatNext() const {
    const RunResult& overall = result_.overall;
    const std::string& id = events_->run_id();
    const std::string where =
        absl::StrCat("branch ", place_.branch, " in ", DisplayPath(place_.workspace));
    std::vector<std::string> next = {absl::StrCat("`stile runs show ", id, "`")};
    std::string text;
    if (!overall.ok()) {
      text = absl::StrCat("Nothing was committed; the work is on ", where, ".\n");
      size_t step = static_cast<size_t>(options_.first_step) + result_.steps.size();
      if (!failed_run_id_.empty()) next[0] = absl::StrCat("`stile runs show ", failed_run_id_, "`");
      if (failed_step_ > 0) step = failed_step_;
      if (step <= story_.steps.size()) {
        next.push_back(absl::StrCat("`stile runs retry ", id, " --step ", step, "`"));
      }
      if (place_.new_branch && !place_.worktree) {
        next.push_back("`git stash -u` and `git switch -` to go back without it");
      }
    } else {
      text = absl::StrCat("The work is on ", where, ".\n");
      if (place_.worktree && !result_.commit.empty()) {
        next.push_back(absl::StrCat("`git merge ", place_.branch, "` to take it over"));
      }
      if (place_.new_branch && !place_.worktree) next.push_back("`git switch -` to go back");
    }
    if (place_.worktree && (!result_.commit.empty() || overall.outcome == RunState::kUnchanged)) {
      next.push_back(absl::StrCat("`git worktree remove ", DisplayPath(place_.repository.root()),
                                  "` to clear up"));
    }
    return absl::StrCat(text, "Next: ", absl::StrJoin(next, "; "), ".");
  }

  void EmitStarted() {
    StoryStartedEvent started{.story = story_.title,
                              .branch = place_.branch,
                              .workspace = place_.workspace,
                              .hooks = hooks_,
                              .max_parallelism = options_.max_parallelism,
                              .first_step = options_.first_step};
    for (const StoryStep& step : story_.steps) started.steps.push_back(step.name);
    events_->Emit(started);
  }

  void EmitFinished() {
    const RunResult& overall = result_.overall;
    const absl::StatusOr<std::string> hooks = FingerprintHooks(place_.repository);
    events_->Emit(StoryFinishedEvent{.outcome = std::string(RunStateName(overall.outcome)),
                                     .reason = std::string(StopReasonName(overall.reason)),
                                     .exit_code = overall.exit_code(),
                                     .message = overall.message,
                                     .branch = result_.branch,
                                     .workspace = result_.workspace,
                                     .commit = result_.commit,
                                     .hooks_unchanged = hooks.ok() && *hooks == hooks_});
  }

  const Story& story_;
  const StoryOptions& options_;
  const Cancellation* const cancellation_;
  ProcessRunner* const runner_;
  StepRunner* const steps_;
  EventStream* const events_;
  const WorkPlace place_;
  const std::string hooks_;
  StoryContext context_;
  std::vector<std::pair<std::string, std::string>> answers_;  // name and answer of the steps done
  std::vector<RunResult::CertificateRef> certificates_;
  std::vector<std::string> run_ids_;  // of the steps done by this process, all attempts
  int earlier_turns_ = 0;             // of the steps done before this process
  bool is_recorded_ = true;           // whether the steps that are done are on disk
  size_t failed_step_ = 0;            // the first that is not done; 0: none has failed
  std::string failed_run_id_;         // of the step whose failure ended the story
  StoryResult result_;
};

}  // namespace

std::string BranchOf(const Story& story) {
  return story.branch.empty() ? absl::StrCat("stile/", Slug(story.title)) : story.branch;
}

StoryRunner::StoryRunner(ProcessRunner* runner, StepRunner* steps, EventStream* events)
    : runner_(runner), steps_(steps), events_(events) {}

absl::StatusOr<StoryResult> StoryRunner::Run(const Story& story, const std::string& workspace,
                                             const StoryOptions& options,
                                             const Cancellation* cancellation) {
  const int steps = static_cast<int>(story.steps.size());
  if (steps == 0) return absl::InvalidArgumentError("the story has no steps");
  if (options.first_step < 1 || options.first_step > steps + 1) {
    return absl::InvalidArgumentError(absl::StrCat("there is no step ", options.first_step,
                                                   "; the story has ",
                                                   Count(story.steps.size(), "step")));
  }
  const ProgramWrapper wrapper = [steps = steps_](const Repository& repository) {
    return steps->WrapPrograms(repository);
  };
  PlaceRequest request;
  request.workspace = workspace;
  request.branch = options.branch.empty() ? BranchOf(story) : options.branch;
  request.run_id = events_->run_id();
  request.beside = HasWaves(story);
  request.goes_on = options.first_step > 1 || (options.resumed && !options.before_work);
  request.begins_again = options.resumed && options.before_work;
  STILE_ASSIGN_OR_RETURN(WorkPlace place, PreparePlace(runner_, wrapper, request, options));
  if (options.on_place) options.on_place();
  std::string hooks = options.hooks;
  if (hooks.empty()) {
    STILE_ASSIGN_OR_RETURN(hooks, FingerprintHooks(place.repository));
  }
  return StorySession(story, options, cancellation, runner_, steps_, events_, std::move(place),
                      std::move(hooks))
      .Run();
}

}  // namespace stile

#include "runtime/story/story_runner.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/story/expectations.h"
#include "runtime/story/step_retry.h"
#include "runtime/story/story_delivery.h"
#include "runtime/story/story_place.h"

namespace stile {
namespace {

constexpr size_t kMaxSummaryBytes = 2000;
constexpr size_t kMaxContextBytes = 24'000;

// What the steps so far did, for the next one. The oldest go first when it becomes too much.
class StoryContext {
 public:
  void Add(size_t number, const std::string& name, const std::string& answer) {
    entries_.push_back(absl::StrCat(
        "Step ", number, " (", name,
        "): ", answer.empty() ? "done" : TruncateMiddle(answer, kMaxSummaryBytes), "\n"));
    bytes_ += entries_.back().size();
    for (; bytes_ > kMaxContextBytes; ++left_out_) {
      bytes_ -= entries_.front().size();
      entries_.pop_front();
    }
  }
  std::string Text() const {
    if (entries_.empty()) return "";
    return absl::StrCat(
        "Earlier steps of this story, already done in this workspace:\n",
        left_out_ > 0 ? absl::StrCat("(", Count(left_out_, "earlier step"), " left out)\n") : "",
        absl::StrJoin(entries_, ""));
  }

 private:
  std::deque<std::string> entries_;
  size_t bytes_ = 0;
  size_t left_out_ = 0;
};

void Fail(StopReason reason, std::string message, RunResult* result) {
  result->outcome = RunState::kFailed;
  result->reason = reason;
  result->message = std::move(message);
}

std::vector<std::string> Union(const std::vector<std::string>& a,
                               const std::vector<std::string>& b) {
  std::set<std::string> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return {all.begin(), all.end()};
}

// Adds what `earlier` used and changed to `result`; how it ended does not count.
void AddFigures(const RunResult& earlier, RunResult* result) {
  result->changed = Union(earlier.changed, result->changed);
  result->usage += earlier.usage;
  result->turns += earlier.turns;
  for (const auto& [tool, calls] : earlier.tools_used) result->tools_used[tool] += calls;
  result->duration += earlier.duration;
  if (!result->certificate.has_value()) result->certificate = earlier.certificate;
}

class StorySession {
 public:
  StorySession(const Story& story, const StoryOptions& options, const Cancellation* cancellation,
               StepRunner* steps, EventStream* events, StoryPlace place, std::string hooks)
      : story_(story),
        options_(options),
        cancellation_(cancellation),
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
    overall.changed = Union(options_.done_changed, {});
    for (const RunResult& earlier : options_.done_results) Sum(earlier);
    earlier_turns_ = overall.turns;
    const size_t done = static_cast<size_t>(options_.first_step) - 1;
    if (!overall.ok()) SayFailed(done, overall.message);
    for (size_t i = 0; i < done; ++i) {
      const std::string answer =
          i < options_.done_summaries.size() ? options_.done_summaries[i] : "";
      Remember(i + 1, answer);
    }
    for (size_t i = done; i < story_.steps.size() && overall.ok(); ++i) {
      if (Cancelled()) {
        Fail(StopReason::kCancelled, absl::StrCat("Cancelled before ", StepTitle(i + 1), "."),
             &overall);
        break;
      }
      result_.steps.push_back(RunStep(i + 1, story_.steps[i]));
      Count(result_.steps.back().result);
      if (overall.ok()) {
        Remember(i + 1, overall.answer);
      } else {
        SayFailed(i + 1, result_.steps.back().result.message);
      }
    }
    if (overall.ok()) Deliver();
    overall.message = absl::StrCat(absl::StripSuffix(overall.message, "\n"), "\n", WhatNext());
    EmitFinished();
    return std::move(result_);
  }

 private:
  bool Cancelled() const { return cancellation_ != nullptr && cancellation_->cancelled(); }

  std::string StepTitle(size_t number) const {
    return absl::StrCat("Step ", number, " of ", story_.steps.size(), " (",
                        story_.steps[number - 1].name, ")");
  }

  void SayFailed(size_t number, const std::string& why) {
    RunResult& overall = result_.overall;
    failed_step_ = number;
    overall.message =
        absl::StrCat(StepTitle(number), " failed (", StopReasonName(overall.reason), "). ", why);
  }

  void Remember(size_t number, const std::string& answer) {
    const std::string& name = story_.steps[number - 1].name;
    context_.Add(number, name, answer);
    answers_.emplace_back(name, answer);
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

  StepOutcome RunStep(size_t number, const StoryStep& step) {
    StepOutcome outcome;
    outcome.name = step.name;
    const std::string first_id = absl::StrCat(events_->run_id(), ".", number);
    events_->Emit(EventType::kStepStarted, {{"step", number},
                                            {"name", step.name},
                                            {"of", story_.steps.size()},
                                            {"step_run_id", first_id},
                                            {"task", step.description}});
    StepTask task;
    task.name = step.name;
    task.workspace = place_.workspace;
    task.task = step.description;
    task.context = context_.Text();
    task.agent = step.agent.empty() ? story_.agent : step.agent;
    task.max_turns = step.max_turns > 0 ? step.max_turns : story_.max_turns;
    for (;; ++outcome.attempts) {
      task.run_id =
          outcome.attempts == 1 ? first_id : absl::StrCat(first_id, ".", outcome.attempts);
      task.retry = outcome.attempts > 1;
      task.turns_before =
          options_.done_turns + result_.overall.turns - earlier_turns_ + outcome.result.turns;
      outcome.run_id = task.run_id;
      const std::vector<UnmetExpectation> unmet = Attempt(number, step, task, &outcome);
      const RunResult& result = outcome.result;
      if (result.ok() || outcome.attempts > step.retry_max || Cancelled() ||
          !MayRetry(step, result, unmet)) {
        break;
      }
      task.task = FixText(step, outcome.attempts, result, unmet);
      events_->Emit(
          EventType::kLog,
          {{"level", "warning"},
           {"step", number},
           {"text", absl::StrCat(StepTitle(number), ": attempt ", outcome.attempts, " failed (",
                                 StopReasonName(result.reason), "); trying again, ",
                                 outcome.attempts, " of ", step.retry_max)}});
    }
    Json data = ToJson(outcome.result);
    data["step"] = number;
    data["name"] = step.name;
    data["step_run_id"] = outcome.run_id;
    data["attempts"] = outcome.attempts;
    data["unmet"] = outcome.unmet;
    events_->Emit(EventType::kStepFinished, std::move(data));
    return outcome;
  }

  // One run of the step and what it is measured against; the figures of all attempts add up.
  std::vector<UnmetExpectation> Attempt(size_t number, const StoryStep& step, const StepTask& task,
                                        StepOutcome* outcome) {
    const EventSink sink = [this, number](const Event& event) {
      if (event.type == EventType::kRunStarted || event.type == EventType::kRunFinished) return;
      Json data = event.data;
      data["step"] = number;
      events_->Emit(event.type, std::move(data));
    };
    absl::StatusOr<RunResult> run = steps_->RunStep(task, sink);
    RunResult result;
    if (run.ok()) {
      result = *std::move(run);
    } else {
      Fail(Cancelled() || absl::IsCancelled(run.status()) ? StopReason::kCancelled
                                                          : StopReason::kInternal,
           std::string(run.status().message()), &result);
    }
    AddFigures(outcome->result, &result);
    if (result.outcome == RunState::kUnchanged && !result.changed.empty()) {
      result.outcome = RunState::kSucceeded;  // an earlier attempt changed it
    }
    run_ids_.push_back(task.run_id);
    outcome->unmet.clear();
    std::vector<UnmetExpectation> unmet;
    if (result.ok()) unmet = Measure(step, &result);
    for (const UnmetExpectation& item : unmet) outcome->unmet.push_back(item.line);
    if (!unmet.empty()) {
      Fail(StopReason::kExpectationsUnmet,
           absl::StrCat(
               "It was accepted by the gate, but does not meet the story's expectations:\n- ",
               absl::StrJoin(outcome->unmet, "\n- ")),
           &result);
    }
    outcome->result = std::move(result);
    return unmet;
  }

  std::vector<UnmetExpectation> Measure(const StoryStep& step, RunResult* result) {
    const auto validate = [this](Level level) {
      return steps_->ValidateAll(place_.workspace, level);
    };
    absl::StatusOr<std::vector<UnmetExpectation>> unmet =
        CheckExpectations(step.expect, place_.workspace, result->tools_used, validate);
    absl::StatusOr<std::string> branch = place_.repository.CurrentBranch();
    const absl::Status status = !unmet.ok() ? unmet.status() : branch.status();
    if (!status.ok()) {
      Fail(Cancelled() ? StopReason::kCancelled : StopReason::kInternal,
           absl::StrCat("Its expectations could not be checked: ", status.message()), result);
      return {};
    }
    if (*branch != place_.branch) {
      unmet->push_back({UnmetExpectation::Kind::kOther,
                        absl::StrCat("branch: the step left ", place_.branch, " for ",
                                     branch->empty() ? "a detached HEAD" : ShowPath(*branch)),
                        ""});
    }
    return *std::move(unmet);
  }

  // The steps are done: the commit, if there is anything in it.
  void Deliver() {
    RunResult& overall = result_.overall;
    overall.message = absl::StrCat(stile::Count(story_.steps.size(), "step"), " done");
    if (overall.outcome == RunState::kUnchanged && !overall.changed.empty()) {
      overall.outcome = RunState::kSucceeded;  // by the steps done before this process
    }
    std::vector<std::string> paths;
    for (const std::string& path : overall.changed) paths.push_back(place_.prefix + path);
    if (options_.resumed && !GoOnDelivering(paths)) return;
    absl::StatusOr<std::vector<std::string>> uncommitted = UncommittedOf(place_.repository, paths);
    if (!uncommitted.ok()) {
      FailAtCommit(StopReason::kInternal,
                   absl::StrCat("git failed: ", uncommitted.status().message()));
      return;
    }
    if (uncommitted->empty()) {
      absl::StrAppend(&overall.message, "; nothing is left to commit.");
      return;
    }
    const std::string files = stile::Count(uncommitted->size(), "file");
    if (!options_.commit) {
      absl::StrAppend(&overall.message, "; ", files, " changed, not committed as asked.");
      return;
    }
    if (const std::string stray = FirstOutside(overall.changed); !stray.empty()) {
      FailAtCommit(
          StopReason::kExpectationsUnmet,
          absl::StrCat(ShowPath(stray), " was changed, which deliver.paths does not allow."));
      return;
    }
    if (Cancelled()) {
      Fail(StopReason::kCancelled, "All steps are done; cancelled before the commit.", &overall);
      return;
    }
    const std::string tree = Judge(*uncommitted);
    if (tree.empty()) return;
    const std::vector<RunResult::CertificateRef> certificates = Certificates();
    const Delivery delivery = stile::Deliver(
        place_.repository,
        {*std::move(uncommitted), tree,
         CommitMessage(story_.title, answers_, events_->run_id(), certificates), hooks_});
    if (delivery.commit.empty()) {
      FailAtCommit(delivery.reason, delivery.problem);
      return;
    }
    NoteCommit(delivery);
  }

  // After a kill: whether there is still something to deliver. A commit that the killed process
  // made is checked as it would have checked it.
  bool GoOnDelivering(const std::vector<std::string>& paths) {
    const bool all_done_before = options_.first_step > static_cast<int>(story_.steps.size());
    DeliveredRequest request{paths, events_->run_id(), place_.workspace, {}};
    if (all_done_before) request.accepted = options_.accepted;
    const Delivery delivered = FindDelivered(place_.repository, request);
    if (!delivered.problem.empty()) {
      FailAtCommit(delivered.reason, delivered.problem);
      return false;
    }
    if (delivered.commit.empty()) return true;
    NoteCommit(delivered);
    return false;
  }

  std::vector<RunResult::CertificateRef> Certificates() const {
    std::vector<RunResult::CertificateRef> certificates = options_.done_certificates;
    certificates.insert(certificates.end(), certificates_.begin(), certificates_.end());
    return certificates;
  }

  void NoteCommit(const Delivery& delivery) {
    result_.commit = delivery.commit;
    const absl::Status noted =
        AttachCertificates(place_.repository, result_.commit, Certificates());
    if (!noted.ok()) {
      Warn(absl::StrCat("the commit has no note with its certificates: ", noted.message()));
    }
    if (!delivery.warning.empty()) Warn(delivery.warning);
    absl::StrAppend(&result_.overall.message, "; ", stile::Count(delivery.files, "file"),
                    " committed as ", result_.commit.substr(0, 12), ".");
  }

  // The tree that is to be committed, judged; an empty one when it must not be, and Fail was told.
  std::string Judge(const std::vector<std::string>& paths) {
    const absl::StatusOr<std::string> head = place_.repository.Head();
    const absl::StatusOr<std::string> tree =
        head.ok() ? place_.repository.WriteTree(*head, paths) : head;
    if (!tree.ok()) {
      FailAtCommit(StopReason::kInternal, absl::StrCat("git failed: ", tree.status().message()));
      return "";
    }
    const bool judged = options_.clean_room && !head->empty();
    return (judged ? PassesInCleanRoom(*tree) : IsAsAccepted()) ? *tree : "";
  }

  bool PassesInCleanRoom(const std::string& tree) {
    const absl::StatusOr<std::string> problem =
        JudgeInCleanRoom(place_.repository, place_.prefix, tree, options_.worktrees_dir,
                         [this](const CleanRoom& room) { return steps_->ValidateTree(room); });
    if (!problem.ok()) {
      FailAtCommit(
          absl::IsCancelled(problem.status()) ? StopReason::kCancelled : StopReason::kInternal,
          absl::StrCat("the clean checkout failed: ", problem.status().message()));
      return false;
    }
    if (problem->empty()) return true;
    FailAtCommit(StopReason::kGateFailed,
                 absl::StrCat("what would be committed does not pass by itself (", *problem,
                              "); the workspace holds something that the commit would not"));
    return false;
  }

  // Whether the files still hold what the steps left, of which their certificates speak.
  bool IsAsAccepted() {
    std::map<std::string, RecordedChange> latest;
    for (const RecordedChange& change : options_.accepted) latest[change.path] = change;
    for (const std::string& id : run_ids_) {
      const absl::StatusOr<std::vector<RecordedChange>> changes = steps_->ChangesOf(id);
      if (absl::IsNotFound(changes.status())) continue;
      if (!changes.ok()) {
        FailAtCommit(StopReason::kInternal,
                     absl::StrCat("what they changed is not known: ", changes.status().message()));
        return false;
      }
      for (const RecordedChange& change : *changes) latest[change.path] = change;
    }
    std::vector<RecordedChange> accepted;
    for (auto& [path, change] : latest) accepted.push_back(std::move(change));
    const std::string stray = FirstNotAccepted(place_.workspace, accepted);
    if (stray.empty()) return true;
    FailAtCommit(StopReason::kGateFailed, absl::StrCat(ShowPath(stray), kChangedSince, "."));
    return false;
  }

  void Warn(const std::string& text) {
    events_->Emit(EventType::kLog, {{"level", "warning"}, {"text", text}});
  }

  void FailAtCommit(StopReason reason, absl::string_view why) {
    Fail(reason, absl::StrCat("All steps are done, but ", why), &result_.overall);
  }

  // The first path that deliver.paths do not allow; "" if there is none.
  std::string FirstOutside(const std::vector<std::string>& paths) const {
    if (options_.paths.empty()) return "";
    const auto stray = std::find_if(paths.begin(), paths.end(), [this](const std::string& path) {
      return std::none_of(options_.paths.begin(), options_.paths.end(),
                          [&path](const std::string& glob) { return GlobMatch(glob, path); });
    });
    return stray == paths.end() ? "" : *stray;
  }

  std::string WhatNext() const {
    const RunResult& overall = result_.overall;
    const std::string& id = events_->run_id();
    const std::string where =
        absl::StrCat("branch ", place_.branch, " in ", ShowPath(place_.workspace));
    std::vector<std::string> next = {absl::StrCat("`stile runs show ", id, "`")};
    std::string text;
    if (!overall.ok()) {
      text = absl::StrCat("Nothing was committed; the work is on ", where, ".\n");
      size_t step = static_cast<size_t>(options_.first_step) + result_.steps.size();
      if (!result_.steps.empty() && !result_.steps.back().result.ok()) {
        next[0] = absl::StrCat("`stile runs show ", result_.steps.back().run_id, "`");
      }
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
      next.push_back(absl::StrCat("`git worktree remove ", ShowPath(place_.repository.root()),
                                  "` to clear up"));
    }
    return absl::StrCat(text, "Next: ", absl::StrJoin(next, "; "), ".");
  }

  void EmitStarted() {
    Json names = Json::array();
    for (const StoryStep& step : story_.steps) names.push_back(step.name);
    events_->Emit(EventType::kStoryStarted, {{"story", story_.title},
                                             {"branch", place_.branch},
                                             {"workspace", place_.workspace},
                                             {"steps", std::move(names)},
                                             {"hooks", hooks_},
                                             {"first_step", options_.first_step}});
  }

  void EmitFinished() {
    const RunResult& overall = result_.overall;
    events_->Emit(EventType::kStoryFinished,
                  {{"outcome", std::string(RunStateName(overall.outcome))},
                   {"reason", std::string(StopReasonName(overall.reason))},
                   {"exit_code", overall.exit_code()},
                   {"message", overall.message},
                   {"branch", result_.branch},
                   {"workspace", result_.workspace},
                   {"commit", result_.commit}});
  }

  const Story& story_;
  const StoryOptions& options_;
  const Cancellation* const cancellation_;
  StepRunner* const steps_;
  EventStream* const events_;
  const StoryPlace place_;
  const std::string hooks_;
  StoryContext context_;
  std::vector<std::pair<std::string, std::string>> answers_;  // name and answer of the steps done
  std::vector<RunResult::CertificateRef> certificates_;
  std::vector<std::string> run_ids_;  // of the steps done by this process, all attempts
  int earlier_turns_ = 0;             // of the steps done before this process
  size_t failed_step_ = 0;            // 0: none
  StoryResult result_;
};

}  // namespace

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
  STILE_ASSIGN_OR_RETURN(StoryPlace place, PrepareStory(runner_, wrapper, story, workspace, options,
                                                        events_->run_id()));
  std::string hooks = options.hooks;
  if (hooks.empty()) {
    STILE_ASSIGN_OR_RETURN(hooks, FingerprintHooks(place.repository));
  }
  return StorySession(story, options, cancellation, steps_, events_, std::move(place),
                      std::move(hooks))
      .Run();
}

}  // namespace stile

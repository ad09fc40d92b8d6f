#ifndef STILE_RUNTIME_STORY_STEP_RUN_H_
#define STILE_RUNTIME_STORY_STEP_RUN_H_

#include <string>
#include <vector>

#include "runtime/base/cancellation.h"
#include "runtime/delivery/work_trees.h"
#include "runtime/event/event.h"
#include "runtime/story/expectations.h"
#include "runtime/story/story.h"
#include "runtime/story/story_runner.h"

namespace stile {

// Makes `result` a failure.
void FailWith(StopReason reason, std::string message, RunResult* result);

// Adds what `earlier` used and changed to `result`; how it ended does not count.
void AddFigures(const RunResult& earlier, RunResult* result);

// "Step 2 of 3 (rename)"
std::string StepTitle(const Story& story, size_t number);

// One step of a story from its first attempt to its outcome. Calls come one at a time, on any
// thread; nothing of what it is given is owned.
class StepRun {
 public:
  struct Services {
    const Story* story;
    StepRunner* steps;
    EventStream* events;
    const Cancellation* cancellation;  // may be null
    bool after_end = false;            // see StoryOptions
    bool other_model = false;
  };
  // `number` from 1; `context`: what the steps before it did.
  StepRun(const Services& services, size_t number, std::string context);

  // Attempts until one is good, or no further one may be made. `turns_before`: see StepTask.
  // `cancellation` (may be null) ends them in place of that of the services.
  void Run(const StepPlace& place, int turns_before, const Cancellation* cancellation);
  void Run(const StepPlace& place, int turns_before) {
    Run(place, turns_before, services_.cancellation);
  }

  // What it changed in a working tree of its own; paths relative to the workspace, raw bytes.
  std::vector<std::string> ChangedElsewhere() const;

  // What it did elsewhere into the story's own place, where it is judged again; if it cannot be, or
  // does not pass, one more attempt there, whatever `retry` says. After a Run that ended well.
  void TakeOver(const StepPlace& place, const EditSet& merge, int turns_before);

  // Replaces the message of the cancelled run by the reason.
  void SayWhyCancelled(std::string why) { outcome_.result.message = std::move(why); }

  // Tells the outcome, which does not change any more. To be called once.
  void Finish();

  size_t number() const { return number_; }
  bool has_run() const { return outcome_.attempts > 0; }
  bool has_finished() const { return has_finished_; }
  const StepOutcome& outcome() const { return outcome_; }
  // Of its attempts in the story's own place.
  const std::vector<std::string>& run_ids() const { return run_ids_; }

 private:
  bool Cancelled() const { return cancellation_ != nullptr && cancellation_->cancelled(); }
  std::string FirstId() const;
  // The id of the next run: of an attempt, or of the merge, which is none.
  const std::string& NextRun();
  bool HasNextRun(const StepPlace& place) const;
  EventSink Sink() const;
  void Settle(absl::StatusOr<RunResult> run, const StepPlace& place);
  void Attempt(const StepTask& task, const StepPlace& place);
  StepTask NewTask(const StepPlace& place) const;
  void SetTurns(int turns_before, StepTask* task) const;
  void Warn(std::string text) const;
  void Measure(const StepPlace& place, RunResult* result);

  const Services services_;
  const size_t number_;
  const StoryStep& step_;
  const std::string context_;
  const Cancellation* cancellation_;  // of the run in progress
  StepOutcome outcome_;
  int runs_ = 0;  // begun so far: attempts, and the merge
  bool has_finished_ = false;
  std::vector<UnmetExpectation> unmet_;  // of the last attempt
  std::vector<std::string> run_ids_;
  std::vector<std::string> tree_run_ids_;  // of its attempts in a working tree of its own
};

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STEP_RUN_H_

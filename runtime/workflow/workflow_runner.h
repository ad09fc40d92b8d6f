#ifndef STILE_RUNTIME_WORKFLOW_WORKFLOW_RUNNER_H_
#define STILE_RUNTIME_WORKFLOW_WORKFLOW_RUNNER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/agent_loop/run_state.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/event/event.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/scope.h"
#include "runtime/workflow/step_executor.h"
#include "runtime/workflow/step_record.h"
#include "runtime/workflow/step_work.h"
#include "runtime/workflow/work_queue.h"
#include "runtime/workflow/workflow.h"

namespace stile {

struct WorkflowOptions {
  WorkflowVariables variables;  // as they are at the start
  // Steps with `on` take part when it holds this.
  std::string event = "manual";
  // Steps that take part, with all that they depend on; empty: every step.
  std::set<std::string> only;
  // Of an earlier process, whose work goes on; may be null.
  std::shared_ptr<const StepRecords> records;
  EventStream* events = nullptr;  // not owned; may be null
  Clock* clock = nullptr;
  const Cancellation* cancellation = nullptr;  // not owned; may be null
  // Called after steps whose work takes time have ended; an error ends the run. May be empty.
  std::function<absl::Status()> on_progress;
  // For tests of workflows: the reply to a step whose work is not to be done; nullopt: it is done.
  // Called on any thread. May be empty.
  std::function<std::optional<StepReply>(const StepCall& call)> mock;
  bool keep_history = false;  // for WorkflowResult::history
  // For the report: what is known of the run besides its steps, and the reports of earlier runs of
  // the workflow, newest first.
  Json about = Json::object();
  Json earlier = Json::array();
  absl::Duration spent;  // by earlier processes

  // Of a workflow that is a step of another one.
  int depth = 1;
  std::string scope_prefix;
  std::string number_prefix;
  int turns_before = 0;
  std::shared_ptr<size_t> records_left;  // how many records have not been used
};

struct WorkflowResult {
  StopReason reason = StopReason::kNone;  // kNone: it passed
  std::string message;                    // what failed, and where
  // How often each step ran, by its name; of a nested workflow by "step/inner step".
  std::map<std::string, int> runs;
  std::map<std::string, absl::Duration> durations;  // of all runs of a step, by step
  struct Step {
    std::string name;
    StepVerdict verdict = StepVerdict::kNotRun;
    std::string reason;   // of a skip
    std::string message;  // of a failure
  };
  std::vector<Step> steps;  // in the order of the file; of items together
  // What has to be done again, or gone on with, for the run to come to another end: the runs of
  // steps that made it fail; of nested workflows also those inside.
  std::vector<StepRunKey> failed;
  Json outputs;                                      // by step, of those that ran
  std::map<std::string, std::vector<Json>> history;  // outputs of all runs, by step
  Json memory;
  Usage usage;
  int turns = 0;
  std::set<std::string> changed;  // paths in the workspace
  // What Workflow::report made of it; null: it has none, or it was cancelled, or it failed.
  Json report;
  // What it gives as a step of another workflow: its report, its declared outputs, or `outputs`.
  Json output;

  bool ok() const { return reason == StopReason::kNone; }
};

// Runs a workflow from its first layer to its end.
//
// A layer runs in parallel, up to max_parallelism; agents, tools, people and nested workflows one
// at a time, since they may change the same files. The items of a list go through a layer together
// in the same way, one by one where one of these is among its steps. What follows the steps of a
// layer (routes, retries) is done when all of them have ended, in the order of items and file: the
// same outputs give the same run, and a run that was killed is resumed by doing it again with the
// outputs on record.
//
// A step whose templates cannot be filled has failed, and no route of it is followed: another run
// would end in the same way. After any other end of a step: on_success or on_fail, in it `run`,
// then `retry`, then the first of `transitions` that holds, then `goto_js`, then `goto`; then
// on_finish (of a forEach step once all of its items are through). Each list of steps to run and
// each jump is a transition of its scope (the root, or an item; jumps of one layer to the same step
// are one); beyond max_loops of them, and beyond max_runs of one step, the run ends with
// kLoopBudget. A run in which a step's last word is failure has failed (kStepFailed), unless the
// step says continue_on_failure.
//
// The report is made last, whether the run passed or failed; one that throws, or does not fit its
// schema, fails the run. Beside the variables of scope.h its script sees
//
//   result   {ok, reason, message, failed: [steps], skipped: {step: reason}, runs: {step: times},
//            step_ms: {step: of all its runs}, tokens, turns, changed, duration_ms}, and what the
//            door adds
//   earlier  what is short of the reports of earlier runs, newest first
//
// One Run per object. Nothing is owned.
// One thing: the state of one run; a step that ends changes which others may begin.
class WorkflowRunner {
 public:
  WorkflowRunner(const Workflow* workflow, StepExecutor* executor, WorkflowOptions options);
  // InvalidArgument when steps depend on each other. FailedPrecondition when the records are of
  // another workflow or other inputs: nothing is lost, and it may go on once these are back.
  absl::StatusOr<WorkflowResult> Run();

 private:
  // One run of one step.
  struct StepRun {
    Scope* scope = nullptr;
    int step = 0;
    int number = 1;        // StepState::runs
    bool is_over = false;  // before it began: its input cannot be made
    StepCall call;
    const StepRecord* known = nullptr;
    StepRecord record;
    absl::Status status;
  };

  const WorkflowStep& Step(int step) const { return workflow_.steps[static_cast<size_t>(step)]; }
  bool ended() const { return end_.has_value(); }
  bool IsCancelled() const;
  void End(StopReason reason, std::string message);
  void Emit(EventType type, Json data);
  template <EventRecord T>
  void Emit(const T& record) {
    Emit(T::kEventType, FieldsOf(record));
  }
  // Of what is not on record, and happens again when a run is resumed.
  template <EventRecord T>
  void EmitAnew(const T& record) {
    if (*options_.records_left == 0) Emit(record);
  }
  // Lines of a script, as `log` events of level debug.
  void EmitLog(const std::vector<std::string>& lines);
  std::string NameOf(const Scope& scope) const { return options_.scope_prefix + scope.name(); }

  void EmitRecord(const StepRecord& record, bool is_done_again);

  // workflow_runner.cc
  void Advance();
  void AdvanceItems(int limit);
  bool RunTogether(const std::vector<int>& steps) const;
  void RunItems(const std::vector<Scope*>& items);
  // Steps of one scope.
  struct Turn {
    Scope* scope = nullptr;
    std::vector<int> steps;
  };
  void RunTurns(const std::vector<Turn>& turns);
  void RunSteps(const std::vector<Turn>& turns);
  void SkipStep(Scope* scope, int step, const StepWork::Skip& skip);
  StepRun BeginStep(Scope* scope, int step);
  void Perform(std::vector<StepRun>* runs);
  void PerformOne(StepRun* run);
  absl::StatusOr<StepReply> Reply(const StepRun& run);
  absl::StatusOr<StepReply> RunNested(const StepRun& run);
  // Of the workflow that the step runs.
  WorkflowOptions OptionsInside(const StepRun& run) const;
  void Keep(const StepRun& run);
  WorkflowResult Summarize();
  void MakeReport(WorkflowResult* result);
  void MakeOutput(WorkflowResult* result);
  void FindFailures(const Scope& scope, std::vector<std::string>* failures,
                    std::vector<StepRunKey>* failed) const;
  // `key` and, of a nested workflow, what failed in it.
  void AddFailed(const StepRunKey& key, std::vector<StepRunKey>* failed) const;
  std::string NewNumber(const StepRecord& record);

  // workflow_routing.cc
  void Settle(StepRun run);
  // What ends the run, as its message.
  std::string FailureOf(const absl::Status& status) const;
  bool Wait(const StepRun& run, const Routing& routing, int retries);
  void FinishLists(Scope* scope);
  void FollowRuns(Scope* scope, int step, const Routing& routing, const Json& output);
  void RunTarget(Scope* scope, int step, const Routing::Run& target);
  void FollowJump(Scope* scope, int step, const Routing& routing, const Json& output);
  // Which steps take part when that has happened.
  std::vector<bool> ActiveAt(const std::string& event) const;
  absl::StatusOr<std::optional<Goto>> ChooseJump(Scope* scope, int step, const Routing& routing,
                                                 const Json& output);
  bool CountTransition(Scope* home, int step);
  void FailStep(Scope* scope, int step, std::string message);

  const Workflow& workflow_;
  StepExecutor* const executor_;
  WorkflowOptions options_;
  std::optional<WorkflowPlan> plan_;
  std::optional<StepWork> work_;
  std::optional<WorkQueue> queue_;
  Scope root_;
  struct Ending {
    StopReason reason;
    std::string message;
  };
  std::optional<Ending> end_;
  absl::Status refusal_;        // of records that do not fit
  Scope* jumped_to_ = nullptr;  // until its Advance has seen it
  // Lists whose items are being gone through: they must not be made anew meanwhile.
  std::multiset<int> busy_lists_;
  int run_depth_ = 0;                       // of steps that run steps
  int number_ = 0;                          // of calls so far
  std::map<std::string, int> run_numbers_;  // by scope and step
  std::map<std::string, int> turns_of_step_;
  std::map<StepRunKey, std::vector<StepRunKey>> failed_inside_;  // of nested workflows
  std::optional<StepRunKey> last_kept_;  // of steps that do not only compute
  absl::Duration began_;
  WorkflowResult result_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_WORKFLOW_RUNNER_H_

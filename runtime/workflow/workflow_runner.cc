#include "runtime/workflow/workflow_runner.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 3;
constexpr size_t kMaxFailuresNamed = 5;
constexpr size_t kMaxKeptBytes = size_t{1} << 20;

// May change files that others of the layer work on, uses servers that do one thing at a time, or
// asks a person.
bool RunsAlone(StepType type) {
  return type == StepType::kAgent || type == StepType::kTool || type == StepType::kResource ||
         type == StepType::kWorkflow || type == StepType::kHuman;
}

std::string HashInput(const StepCall& call) {
  return Sha256Hex(DumpJson({call.settings, call.env, call.input}));
}

}  // namespace

WorkflowRunner::WorkflowRunner(const Workflow* workflow, StepExecutor* executor,
                               WorkflowOptions options)
    : workflow_(*workflow), executor_(executor), options_(std::move(options)) {
  if (options_.records == nullptr) options_.records = std::make_shared<const StepRecords>();
  if (options_.records_left == nullptr) {
    options_.records_left = std::make_shared<size_t>(options_.records->size());
  }
}

void WorkflowRunner::End(StopReason reason, std::string message) {
  if (!ended()) end_ = Ending{reason, std::move(message)};
}

void WorkflowRunner::Emit(EventType type, Json data) {
  if (options_.events != nullptr) options_.events->Emit(type, std::move(data));
}

void WorkflowRunner::EmitLog(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    EmitAnew(LogEvent{.level = "debug", .text = ToUtf8(line)});
  }
}

std::vector<bool> WorkflowRunner::ActiveAt(const std::string& event) const {
  std::vector<bool> active;
  for (const WorkflowStep& step : workflow_.steps) {
    active.push_back(step.events.empty() ||
                     std::find(step.events.begin(), step.events.end(), event) != step.events.end());
  }
  if (options_.only.empty()) return active;
  std::vector<bool> wanted(active.size(), false);
  for (const std::string& name : options_.only) {
    const int step = workflow_.Find(name);
    if (step < 0) continue;
    const std::vector<bool> before = plan_->AncestorsOf(step);
    for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = wanted[i] || before[i];
    wanted[static_cast<size_t>(step)] = true;
  }
  for (size_t i = 0; i < active.size(); ++i) active[i] = active[i] && wanted[i];
  return active;
}

absl::StatusOr<WorkflowResult> WorkflowRunner::Run() {
  STILE_ASSIGN_OR_RETURN(plan_, WorkflowPlan::Make(workflow_));
  began_ = options_.clock->Monotonic();
  options_.variables.memory_namespace = workflow_.memory_namespace;
  for (const auto& [name, value] : workflow_.input_defaults) {
    if (!options_.variables.inputs.contains(name)) options_.variables.inputs[name] = value;
  }
  work_.emplace(&workflow_, &*plan_, &options_.variables);
  queue_.emplace(&workflow_, &*plan_, ActiveAt(options_.event));
  queue_->Begin(&root_);
  Advance();
  if (!refusal_.ok()) return refusal_;
  WorkflowResult result = Summarize();
  MakeReport(&result);
  MakeOutput(&result);
  return result;
}

bool WorkflowRunner::IsCancelled() const {
  return options_.cancellation != nullptr && options_.cancellation->cancelled();
}

void WorkflowRunner::Advance() {
  while (!ended()) {
    if (IsCancelled()) return End(StopReason::kCancelled, "cancelled");
    const std::optional<int> due = WorkQueue::DueLayer(root_);
    if (!due.has_value()) return;
    std::vector<int> steps = WorkQueue::Due(root_, *due);
    if (steps.empty()) {
      AdvanceItems(*due);
    } else {
      RunSteps({{&root_, std::move(steps)}});
    }
    if (!ended()) FinishLists(&root_);
    jumped_to_ = nullptr;
  }
}

// Until nothing waits in an item up to that layer, or an item jumps out of all lists.
void WorkflowRunner::AdvanceItems(int limit) {
  while (!ended()) {
    const std::vector<Scope*> items = WorkQueue::DueItems(&root_, limit);
    if (items.empty()) return;
    RunItems(items);
    if (IsCancelled() || jumped_to_ == &root_) return;
    jumped_to_ = nullptr;
  }
}

// The steps of one layer in items of the same lists, until one of them jumps: that may change what
// is due.
void WorkflowRunner::RunItems(const std::vector<Scope*>& items) {
  const int layer = WorkQueue::DueLayer(*items.front()).value_or(0);
  const auto is_over = [&] { return ended() || jumped_to_ != nullptr || IsCancelled(); };
  std::vector<Turn> together;
  for (Scope* const item : items) {
    if (is_over()) return;
    std::vector<int> steps = WorkQueue::Due(*item, layer);
    if (!steps.empty() && RunTogether(steps)) {
      together.push_back({item, std::move(steps)});
      continue;
    }
    if (!together.empty()) {
      RunTurns(std::exchange(together, {}));
      if (is_over()) return;
      steps = WorkQueue::Due(*item, layer);
    }
    if (!steps.empty()) RunTurns({{item, std::move(steps)}});
  }
  if (!together.empty() && !is_over()) RunTurns(together);
}

// `turns` of items of the same lists, and what follows the end of lists within these items.
void WorkflowRunner::RunTurns(const std::vector<Turn>& turns) {
  const auto enter = [&](const Scope& item) {
    const std::vector<int> lists = WorkQueue::ListsAround(item);
    busy_lists_ = {lists.begin(), lists.end()};
  };
  enter(*turns.front().scope);
  RunSteps(turns);
  for (const Turn& turn : turns) {
    for (Scope* item = turn.scope; item != &root_ && !ended(); item = item->parent()) {
      enter(*item);
      FinishLists(item);
    }
  }
  busy_lists_.clear();
}

// Whether other items may run the same steps before the routes of these are followed.
bool WorkflowRunner::RunTogether(const std::vector<int>& steps) const {
  return std::none_of(steps.begin(), steps.end(),
                      [&](int step) { return RunsAlone(Step(step).type); });
}

void WorkflowRunner::RunSteps(const std::vector<Turn>& turns) {
  std::vector<StepRun> runs;
  for (const auto& [scope, steps] : turns) {
    scope->jumped = false;
    scope->targets.clear();
    for (const int step : steps) {
      WorkQueue::Forget(scope, step, plan_->LayerOf(step));
      if (const auto skip = work_->WhyNot(*scope, step)) {
        SkipStep(scope, step, *skip);
        continue;
      }
      runs.push_back(BeginStep(scope, step));
      if (ended()) return;
    }
  }
  Perform(&runs);
  for (const StepRun& run : runs) {
    if (run.status.ok()) Keep(run);
  }
  for (StepRun& run : runs) {
    // One before it may have run this step again, and then that was settled.
    const bool is_last = run.scope->steps()[run.step].runs == run.number;
    if (!ended() && is_last) Settle(std::move(run));
  }
}

void WorkflowRunner::SkipStep(Scope* scope, int step, const StepWork::Skip& skip) {
  StepState& state = scope->steps()[step];
  state.verdict = StepVerdict::kSkipped;
  state.reason = skip.reason;
  state.message = skip.message;
  state.output = nullptr;
  if (Step(step).for_each) {
    queue_->SkipItems(scope, step, SkipBehind(StepVerdict::kSkipped, skip.reason));
  }
  EmitAnew(WorkflowStepSkippedEvent{.scope = NameOf(*scope),
                                    .step = Step(step).name,
                                    .iteration = scope->wave,
                                    .reason = skip.reason,
                                    .message = ToUtf8(skip.message)});
}

WorkflowRunner::StepRun WorkflowRunner::BeginStep(Scope* scope, int step) {
  const WorkflowStep& itself = Step(step);
  StepRun run;
  run.scope = scope;
  run.step = step;
  StepState& state = scope->steps()[step];
  if (state.runs >= itself.max_runs) {
    End(StopReason::kLoopBudget,
        absl::StrCat(itself.name, " has run ", Count(static_cast<size_t>(state.runs), "time"),
                     ", and max_runs allows no more"));
    return run;
  }
  run.record.scope = NameOf(*scope);
  run.record.step = itself.name;
  run.record.wave = scope->wave;
  run.record.run = ++run_numbers_[absl::StrCat(scope->name(), " ", itself.name)];
  run.number = ++state.runs;
  const StepRecord* const known =
      options_.records->Find(run.record.scope, itself.name, run.record.run);
  run.known = known;
  if (known != nullptr) --*options_.records_left;
  absl::StatusOr<StepCall> call = work_->Prepare(*scope, step);
  if (!call.ok()) {
    run.is_over = true;
    run.record.reply.ok = false;
    run.record.reply.message = std::string(call.status().message());
    return run;
  }
  run.call = *std::move(call);
  run.call.number = NewNumber(run.record);
  run.call.scope = run.record.scope;
  // What was played in calls that are made anew is not played again.
  run.call.turns_before = options_.turns_before + result_.turns;
  if (options_.depth == 1) run.call.turns_before += options_.records->DroppedTurns();
  run.call.step_turns_before =
      turns_of_step_[itself.name] + options_.records->DroppedTurnsOf(itself.name);
  run.record.input_sha256 = HashInput(run.call);
  if (known != nullptr && known->input_sha256 != run.record.input_sha256) {
    run.status = absl::FailedPreconditionError(absl::StrCat(
        "run ", run.record.run, " of ", itself.name,
        " would get another input than the one it had, so what it gave cannot be used"));
  }
  return run;
}

// The number that the run began with in an earlier process, or one that none had there.
std::string WorkflowRunner::NewNumber(const StepRecord& record) {
  ++number_;
  std::string number = options_.records->NumberOf(record);
  if (!number.empty()) return number;
  number = absl::StrCat(options_.number_prefix, number_);
  while (options_.records->IsUsed(number)) {
    number = absl::StrCat(options_.number_prefix, ++number_);
  }
  return number;
}

void WorkflowRunner::Perform(std::vector<StepRun>* runs) {
  std::vector<StepRun*> together;
  bool took_time = false;
  for (StepRun& run : *runs) {
    const StepType type = Step(run.step).type;
    const bool is_short = run.is_over || run.known != nullptr || StepWork::IsComputed(type);
    took_time = took_time || !is_short;
    // Replies of tests come in the order of items and file.
    if (is_short || RunsAlone(type) || options_.mock) {
      PerformOne(&run);
    } else {
      together.push_back(&run);
    }
  }
  CallAtOnce(together.size(), static_cast<size_t>(workflow_.max_parallelism),
             [&](size_t i) { PerformOne(together[i]); });
  if (!took_time || !options_.on_progress) return;
  if (const absl::Status status = options_.on_progress(); !status.ok()) {
    End(StopReason::kInternal, FailureOf(status));
  }
}

void WorkflowRunner::PerformOne(StepRun* run) {
  if (!run->status.ok()) return;
  const WorkflowStep& step = Step(run->step);
  const bool computed = StepWork::IsComputed(step.type);
  // What only computes is done again: its effect is in this process.
  if (run->known != nullptr && !computed && step.type != StepType::kWorkflow) {
    run->record = *run->known;
    return;
  }
  if (!run->is_over) {
    // A nested workflow says so once it is known which one it is.
    if (!computed && step.type != StepType::kWorkflow) {
      Emit(WorkflowStepStartedEvent{.scope = run->record.scope,
                                    .step = step.name,
                                    .kind = std::string(StepTypeName(step.type)),
                                    .iteration = run->record.wave,
                                    .run = run->record.run,
                                    .number = run->call.number});
    }
    const absl::Duration start = options_.clock->Monotonic();
    absl::StatusOr<StepReply> reply = Reply(*run);
    run->record.duration = options_.clock->Monotonic() - start;
    if (!reply.ok()) {
      run->status = reply.status();
      return;
    }
    run->record.reply = *std::move(reply);
    work_->Transform(*run->scope, run->step, &run->record.reply);
  }
  work_->Judge(*run->scope, run->step, &run->record);
  if (run->known == nullptr) EmitLog(run->record.reply.log);
  if (run->known == nullptr) EmitRecord(run->record, computed || step.type == StepType::kWorkflow);
  if (step.type == StepType::kLog && run->known == nullptr && !run->is_over) {
    Emit(LogEvent{.level = JsonString(run->call.settings, "level").value_or("info"),
                  .text = run->record.reply.output});
  }
}

// What is done again when a run is resumed need not be kept whole, and a line of a journal has its
// limits.
void WorkflowRunner::EmitRecord(const StepRecord& record, bool is_done_again) {
  Json data = ToJson(record);
  if (is_done_again && DumpJson(record.reply.output).size() > kMaxKeptBytes) {
    data["output"] = nullptr;
    data["output_left_out"] = true;
  }
  Emit(EventType::kWorkflowStepFinished, std::move(data));
}

absl::StatusOr<StepReply> WorkflowRunner::Reply(const StepRun& run) {
  const WorkflowStep& step = Step(run.step);
  if (options_.mock) {
    if (std::optional<StepReply> reply = options_.mock(run.call)) return *std::move(reply);
  }
  if (StepWork::IsComputed(step.type)) return work_->Compute(*run.scope, run.step, run.call);
  if (step.type == StepType::kWorkflow) return RunNested(run);
  return executor_->Execute(run.call, options_.cancellation);
}

WorkflowOptions WorkflowRunner::OptionsInside(const StepRun& run) const {
  WorkflowOptions options;
  options.variables.env = options_.variables.env;
  options.variables.event = options_.variables.event;
  options.variables.inputs = run.call.settings.value("inputs", Json::object());
  options.variables.now = options_.variables.now;
  options.event = options_.event;
  options.records = options_.records;
  options.records_left = options_.records_left;
  options.events = options_.events;
  options.clock = options_.clock;
  options.cancellation = options_.cancellation;
  options.on_progress = options_.on_progress;
  options.depth = options_.depth + 1;
  options.scope_prefix = absl::StrCat(run.record.scope, run.record.scope.empty() ? "" : "/",
                                      Step(run.step).name, "#", run.record.run, "/");
  options.number_prefix = absl::StrCat(run.call.number, ".");
  options.turns_before = run.call.turns_before;
  return options;
}

absl::StatusOr<StepReply> WorkflowRunner::RunNested(const StepRun& run) {
  StepReply reply;
  reply.ok = false;
  const std::string name = Step(run.step).name;
  if (options_.depth >= kMaxDepth) {
    reply.message =
        absl::StrCat("workflows may be nested ", kMaxDepth, " deep, and this is one more");
    return reply;
  }
  const std::string file = JsonString(run.call.settings, "file").value_or("");
  const auto inner = executor_->LoadWorkflow(file);
  const std::string& before = options_.records->WorkflowOf(run.record);
  const bool is_other = inner.ok() ? before != inner->sha256 : true;
  if (!before.empty() && is_other) {
    return absl::FailedPreconditionError(
        absl::StrCat("its workflow ", file, " has changed since it began",
                     inner.ok() ? "" : absl::StrCat(": ", inner.status().message())));
  }
  if (!inner.ok()) {
    reply.message = std::string(inner.status().message());
    return reply;
  }
  if (before.empty()) {
    Emit(WorkflowStepStartedEvent{.scope = run.record.scope,
                                  .step = name,
                                  .kind = "workflow",
                                  .iteration = run.record.wave,
                                  .run = run.record.run,
                                  .number = run.call.number,
                                  .workflow_sha256 = inner->sha256});
  }
  STILE_ASSIGN_OR_RETURN(const WorkflowResult result,
                         WorkflowRunner(&*inner, executor_, OptionsInside(run)).Run());
  if (result.reason == StopReason::kCancelled) return absl::CancelledError(result.message);
  if (result.reason == StopReason::kModelError) return absl::UnauthenticatedError(result.message);
  if (!result.ok()) {
    failed_inside_[{run.record.scope, name, run.record.run}] = result.failed;
  }
  for (const auto& [inner_step, times] : result.runs) {
    result_.runs[absl::StrCat(name, "/", inner_step)] += times;
  }
  reply.ok = result.ok();
  reply.message = result.message;
  reply.output = result.output;
  reply.usage = result.usage;
  reply.turns = result.turns;
  reply.changed.assign(result.changed.begin(), result.changed.end());
  return reply;
}

void WorkflowRunner::Keep(const StepRun& run) {
  const StepReply& reply = run.record.reply;
  if (!StepWork::IsComputed(Step(run.step).type)) {
    last_kept_ = StepRunKey{run.record.scope, run.record.step, run.record.run};
  }
  ++result_.runs[Step(run.step).name];
  result_.durations[Step(run.step).name] += run.record.duration;
  result_.usage += reply.usage;
  result_.turns += reply.turns;
  turns_of_step_[Step(run.step).name] += reply.turns;
  result_.changed.insert(reply.changed.begin(), reply.changed.end());
  StepState& state = run.scope->steps()[run.step];
  state.verdict = run.record.verdict;
  state.reason.clear();
  state.message = run.record.message;
  state.output = reply.output;
  state.history.push_back(reply.output);
  state.tokens.push_back(reply.usage.total());
  state.changed.push_back(Json::array());
  for (const std::string& path : reply.changed) state.changed.back().push_back(ToUtf8(path));
  if (options_.keep_history) result_.history[Step(run.step).name].push_back(reply.output);
  if (!Step(run.step).for_each) return;
  const bool passed = state.verdict == StepVerdict::kPassed;
  if (passed && !state.output.empty()) {
    queue_->MakeItems(run.scope, run.step, state.output);
  } else {
    queue_->SkipItems(run.scope, run.step, passed ? kSkipEmpty : kSkipDependencyFailed);
  }
}

void WorkflowRunner::AddFailed(const StepRunKey& key, std::vector<StepRunKey>* failed) const {
  failed->push_back(key);
  const auto inside = failed_inside_.find(key);
  if (inside == failed_inside_.end()) return;
  failed->insert(failed->end(), inside->second.begin(), inside->second.end());
}

void WorkflowRunner::MakeOutput(WorkflowResult* result) {
  if (workflow_.report.has_value()) {
    result->output = result->report;
    return;
  }
  if (workflow_.outputs.empty()) {
    result->output = result->outputs;
    return;
  }
  result->output = Json::object();
  if (!result->ok()) return;
  for (const Workflow::Output& output : workflow_.outputs) {
    auto value = work_->Output(root_, output);
    if (!value.ok()) {
      result->reason = StopReason::kStepFailed;
      result->message = absl::StrCat("outputs: ", output.name, ": ", value.status().message());
      return;
    }
    result->output[output.name] = *std::move(value);
  }
}

void WorkflowRunner::FindFailures(const Scope& scope, std::vector<std::string>* failures,
                                  std::vector<StepRunKey>* failed) const {
  for (const auto& [step, state] : scope.steps()) {
    if (state.verdict != StepVerdict::kFailed || Step(step).continue_on_failure) continue;
    failures->push_back(absl::StrCat(Step(step).name,
                                     scope.name().empty() ? "" : absl::StrCat(" in ", scope.name()),
                                     state.message.empty() ? "" : ": ", state.message));
    const std::string& name = Step(step).name;
    const auto run = run_numbers_.find(absl::StrCat(scope.name(), " ", name));
    if (run != run_numbers_.end()) AddFailed({NameOf(scope), name, run->second}, failed);
  }
  for (const auto& [list, items] : scope.items()) {
    for (const std::unique_ptr<Scope>& item : items) FindFailures(*item, failures, failed);
  }
}

WorkflowResult WorkflowRunner::Summarize() {
  WorkflowResult result = std::move(result_);
  result.outputs = Json::object();
  for (size_t i = 0; i < workflow_.steps.size(); ++i) {
    const StepState state = root_.Look(workflow_, static_cast<int>(i));
    const std::string& name = workflow_.steps[i].name;
    result.steps.push_back({name, state.verdict, state.reason, state.message});
    if (state.verdict == StepVerdict::kPassed || state.verdict == StepVerdict::kFailed) {
      result.outputs[name] = state.output;
    }
  }
  result.memory = options_.variables.memory;
  if (ended()) {
    result.reason = end_->reason;
    result.message = end_->message;
    if (result.reason == StopReason::kLoopBudget && last_kept_.has_value()) {
      AddFailed(*last_kept_, &result.failed);
    }
    return result;
  }
  std::vector<std::string> failures;
  FindFailures(root_, &failures, &result.failed);
  if (failures.empty()) return result;
  result.reason = StopReason::kStepFailed;
  const size_t named = std::min(failures.size(), kMaxFailuresNamed);
  result.message =
      absl::StrJoin(failures.begin(), failures.begin() + static_cast<ptrdiff_t>(named), "\n");
  if (named < failures.size()) {
    absl::StrAppend(&result.message, "\n… and ", Count(failures.size() - named, "failure"),
                    " more");
  }
  return result;
}

void WorkflowRunner::MakeReport(WorkflowResult* result) {
  if (!workflow_.report.has_value() || result->reason == StopReason::kCancelled) return;
  const WorkflowReport& wanted = *workflow_.report;
  Json facts = options_.about;
  facts["ok"] = result->ok();
  facts["reason"] = std::string(StopReasonName(result->reason));
  facts["message"] = ToUtf8(result->message);
  facts["runs"] = result->runs;
  facts["step_ms"] = Json::object();
  for (const auto& [step, duration] : result->durations) {
    facts["step_ms"][step] = absl::ToInt64Milliseconds(duration);
  }
  facts["tokens"] = result->usage.total();
  facts["turns"] = result->turns;
  facts["duration_ms"] =
      absl::ToInt64Milliseconds(options_.spent + options_.clock->Monotonic() - began_);
  facts["failed"] = Json::array();
  facts["skipped"] = Json::object();
  for (const WorkflowResult::Step& step : result->steps) {
    if (step.verdict == StepVerdict::kFailed) facts["failed"].push_back(step.name);
    if (step.verdict == StepVerdict::kSkipped) facts["skipped"][step.name] = step.reason;
  }
  facts["changed"] = Json::array();
  for (const std::string& path : result->changed) facts["changed"].push_back(ToUtf8(path));
  absl::StatusOr<Json> report = work_->Report(
      root_, wanted.content, {{"result", std::move(facts)}, {"earlier", options_.earlier}});
  absl::Status status = report.status();
  if (status.ok()) status = CheckFits(wanted.schema, *report, "the report");
  if (status.ok()) {
    result->report = *std::move(report);
    return;
  }
  if (result->ok()) result->reason = StopReason::kStepFailed;
  absl::StrAppend(&result->message, result->message.empty() ? "" : "\n",
                  "there is no report: ", status.message());
}

}  // namespace stile

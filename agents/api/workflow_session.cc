#include "agents/api/workflow_session.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/agent_body.h"
#include "agents/api/catalog.h"
#include "agents/api/done_work.h"
#include "agents/api/run_plan.h"
#include "agents/api/untrusted.h"
#include "agents/api/verification.h"
#include "agents/api/workflow_delivery.h"
#include "agents/api/workflow_files.h"
#include "agents/api/workflow_needs.h"
#include "agents/api/workflow_reports.h"
#include "agents/api/workflow_steps.h"
#include "agents/api/workflow_text.h"
#include "runtime/agent_loop/run_history.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"
#include "runtime/workflow/name_check.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxOutputBytes = size_t{4} << 20;  // in one event

struct WorkflowPlay {
  std::string file;  // absolute
  Workflow workflow;
  WorkflowRequest request;
  Json env = Json::object();  // what expressions see, also when it goes on elsewhere
  StepRecords records;
  Event opening;
  std::vector<std::string> warnings;  // told at the beginning
  uint64_t first_seq = 1;
  absl::Duration spent;  // by earlier processes
  absl::Time started;
  std::set<std::string> go_on;  // numbers of calls, see WorkflowSteps::GoOnWith
};

std::string TaskOf(const WorkflowPlay& play) {
  return play.workflow.name.empty() ? ToUtf8(BaseName(play.file)) : play.workflow.name;
}

// Of agents that choose none themselves.
std::string ModelOf(const WorkflowServices& services) {
  return services.model.empty() ? services.context->options->config.model : services.model;
}

Json EnvironmentOf(const Workflow& workflow, const Environment& environment) {
  Json env = Json::object();
  const Environment visible = EnvironmentForCommands(environment);
  for (const std::string& name : workflow.env) {
    const auto found = visible.find(name);
    if (found != visible.end()) env[name] = ToUtf8(found->second);
  }
  return env;
}

RunResult OverallOf(const WorkflowResult& result) {
  RunResult overall;
  overall.outcome = result.ok() ? RunState::kSucceeded : RunState::kFailed;
  overall.reason = result.reason;
  overall.message = result.message;
  overall.usage = result.usage;
  overall.turns = result.turns;
  overall.changed.assign(result.changed.begin(), result.changed.end());
  size_t runs = 0;
  for (const auto& [step, times] : result.runs) runs += static_cast<size_t>(times);
  overall.answer = absl::StrCat(Count(result.runs.size(), "step"), " of ", result.steps.size(),
                                " ran, ", Count(runs, "run"));
  return overall;
}

// No command of a workflow that has succeeded is done again.
void DropBaselines(const SessionContext& context, const RunPaths& run) {
  const auto steps = context.store->StepsOf(run.id);
  if (!steps.ok()) return;
  for (const RunSummary& step : *steps) {
    const auto paths = context.store->Find(step.id);
    if (step.kind != kCommandKind || !paths.ok()) continue;
    context.file_system->RemoveFile(paths->baseline).IgnoreError();
    context.file_system->RemoveFile(paths->alive).IgnoreError();
    context.file_system->RemoveDir(paths->outputs).IgnoreError();
  }
}

// What the runner is given, but for what the caller adds.
WorkflowOptions OptionsFor(const WorkflowServices& services, const RunPaths& run,
                           WorkflowPlay* play) {
  const SessionContext& context = *services.context;
  WorkflowOptions options;
  options.variables.env = play->env;
  options.variables.event = {{"name", play->request.event}};
  options.variables.inputs = play->request.inputs;
  options.variables.now = play->started;
  options.event = play->request.event;
  options.records = std::make_shared<const StepRecords>(std::move(play->records));
  options.clock = context.clock;
  options.cancellation = context.options->cancellation;
  options.spent = play->spent;
  if (play->workflow.report.has_value()) {
    options.about = {
        {"run_id", run.id},
        {"model", ModelOf(services)},
        {"logs", ToUtf8(run.logs)},
        {"started", absl::FormatTime(absl::RFC3339_sec, play->started, absl::UTCTimeZone())}};
    options.earlier = EarlierReports(*context.store, TaskOf(*play), services.workspace, run.id);
  }
  return options;
}

void EmitBeginning(const WorkflowPlay& play, EventStream* events) {
  events->Emit(WorkflowStartedEvent{TaskOf(play), play.workflow.steps.size(), play.request.event});
  for (const std::string& warning : play.warnings) {
    events->Emit(Warning(ToUtf8(warning)));
  }
}

void EmitEnd(const WorkflowOutcome& outcome, EventStream* events) {
  WorkflowFinishedEvent finished{.outcome = std::string(RunStateName(outcome.overall.outcome)),
                                 .reason = std::string(StopReasonName(outcome.overall.reason)),
                                 .runs = outcome.workflow.runs,
                                 .outputs = outcome.workflow.outputs};
  for (const StepRunKey& key : outcome.workflow.failed) finished.failed.push_back(ToJson(key));
  if (!outcome.workflow.report.is_null()) finished.report = outcome.workflow.report;
  if (DumpJson(outcome.workflow.outputs).size() > kMaxOutputBytes) {
    finished.outputs = nullptr;
    finished.outputs_left_out = true;
  }
  events->Emit(finished);
  events->Emit(EventType::kRunFinished, ToJson(outcome.overall));
}

// Fills in `overall` from the result of the workflow, and keeps its report.
void Summarize(const SessionContext& context, const RunPaths& run, WorkflowOutcome* outcome) {
  if (context.secrets != nullptr) context.secrets->MaskValues(&outcome->workflow.report);
  // A workflow can say better than the names of its steps how it ended.
  if (const std::string said = JsonString(outcome->workflow.report, "message").value_or("");
      !said.empty()) {
    outcome->workflow.message = said;
  }
  outcome->overall = OverallOf(outcome->workflow);
  outcome->overall.untrusted = context.options->config.untrusted_validators;
  // Of a file that one step made and another one removed nothing is left.
  if (const auto changes = ChangesOfRun({context.store, context.runner, context.clock}, run);
      changes.ok()) {
    outcome->overall.changed.clear();
    for (const RecordedChange& change : *changes) outcome->overall.changed.push_back(change.path);
  }
  if (outcome->workflow.report.is_null()) return;
  const absl::Status kept = KeepReport(run, outcome->workflow.report);
  if (kept.ok()) {
    outcome->report_path = run.report;
    return;
  }
  outcome->overall.outcome = RunState::kFailed;
  outcome->overall.reason = StopReason::kInternal;
  outcome->overall.message = FailureText(WithContext(kept, "the report cannot be kept"), run.id);
}

absl::StatusOr<WorkflowOutcome> Play(const WorkflowServices& services, const RunPaths& run,
                                     WorkflowPlay play) {
  const SessionContext& context = *services.context;
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> journal, JournalWriter::Open(run.journal));
  EventStream events(run.id, context.clock, play.first_seq, context.secrets);
  events.AddSink([&](const Event& event) { journal->Append(event); });
  if (context.options->on_event) events.AddSink(context.options->on_event);
  if (play.first_seq == 1) AddUntrusted(context.options->config, &play.opening.data);
  events.Emit(play.opening.type, play.opening.data);
  SayUntrusted(context.options->config, &events);
  STILE_RETURN_IF_ERROR(journal->Sync());
  const absl::Duration start = context.clock->Monotonic();
  WorkflowOutcome outcome;
  outcome.run_id = run.id;
  WorkflowSteps steps(&services, run.id, DirName(play.file), run, &events);
  steps.GoOnWith(play.go_on);
  if (absl::StartsWith(play.file, kBuiltinPrefix)) steps.LetFetchPackages();
  if (play.first_seq == 1) EmitBeginning(play, &events);
  WorkflowOptions options = OptionsFor(services, run, &play);
  options.events = &events;
  options.on_progress = [&] { return journal->SyncSoon(); };
  auto result = WorkflowRunner(&play.workflow, &steps, std::move(options)).Run();
  absl::Status status = result.status();
  if (result.ok()) outcome.workflow = *std::move(result);
  // Of records that do not fit: it has not ended, and may go on when what it had is back.
  if (absl::IsFailedPrecondition(status)) return status;
  if (status.ok()) status = journal->status();
  if (!status.ok()) {
    outcome.workflow.reason = StopReason::kInternal;
    outcome.workflow.message = FailureText(status, run.id);
  }
  Summarize(context, run, &outcome);
  outcome.overall.duration = context.clock->Monotonic() - start;
  EmitEnd(outcome, &events);
  STILE_RETURN_IF_ERROR(journal->Sync());
  if (outcome.overall.ok()) DropBaselines(context, run);
  return outcome;
}

}  // namespace

absl::StatusOr<WorkflowOutcome> StartWorkflow(const WorkflowServices& services,
                                              const std::string& file,
                                              const WorkflowRequest& request) {
  const SessionContext& context = *services.context;
  if (request.needs_clean_tree) {
    STILE_RETURN_IF_ERROR(CheckCleanTree(context, services.workspace));
  }
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadWorkflowText(file));
  if (!request.inputs.is_object()) return absl::InvalidArgumentError("inputs are no object");
  WorkflowPlay play;
  play.request = request;
  play.file = file;
  if (!absl::StartsWith(file, kBuiltinPrefix)) {
    STILE_ASSIGN_OR_RETURN(play.file, RealPath(file));
  }
  STILE_ASSIGN_OR_RETURN(play.workflow, ParseWorkflow(text, file, ReadWorkflowTextBeside));
  STILE_RETURN_IF_ERROR(CheckNeeds(services, play.workflow));
  STILE_ASSIGN_OR_RETURN(const RunPaths run, context.store->Create(NewRunId(context.clock->Now())));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  std::set<std::string> inputs;
  for (auto it = request.inputs.begin(); it != request.inputs.end(); ++it) inputs.insert(it.key());
  const bool is_ours = absl::StartsWith(file, kBuiltinPrefix);
  if (!is_ours) play.warnings = CheckNames(play.workflow, file, inputs);
  play.env = EnvironmentOf(play.workflow, context.options->environment);
  // As precise as the journal keeps it.
  play.started = absl::FromUnixMillis(absl::ToUnixMillis(context.clock->Now()));
  play.opening.type = EventType::kRunStarted;
  play.opening.data = {{"kind", "workflow"},
                       {"task", TaskOf(play)},
                       {"workflow_file", ToUtf8(play.file)},
                       {"workflow_sha256", play.workflow.sha256},
                       {"workspace", ToUtf8(services.workspace)},
                       {"model", context.options->config.model},
                       {"base_url", PublicUrl(context.options->config.base_url)},
                       {"inputs", request.inputs},
                       {"started_ms", absl::ToUnixMillis(play.started)},
                       {"env", play.env},
                       {"event", request.event}};
  return Play(services, run, std::move(play));
}

namespace {

// Goes on after an end without success. Gives what run_resumed says of it.
absl::StatusOr<Json> Reopen(const SessionContext& context, const RunPaths& run,
                            const std::string& reason, WorkflowPlay* play) {
  STILE_RETURN_IF_ERROR(play->records.Reopen());
  Json fresh = Json::array();
  for (const std::string& number : play->records.OpenCalls()) {
    const std::string id = absl::StrCat(run.id, ".", number);
    const absl::StatusOr<RunPaths> call = context.store->Find(id);
    if (!call.ok() || call->id != id) continue;  // of a step without a run of its own
    STILE_ASSIGN_OR_RETURN(const RunSummary summary, context.store->Summarize(*call));
    if (summary.kind == kCommandKind) continue;       // is done again
    if (summary.kind == kVerificationKind) continue;  // goes on by itself
    if (summary.outcome == "failed" || summary.outcome == "interrupted") {
      if (summary.reason != kNotBegun) STILE_RETURN_IF_ERROR(CheckCanGoOn(context, *call));
      play->go_on.insert(number);
    } else {
      fresh.push_back(number);  // it had succeeded, and was of no use
    }
  }
  for (const Json& number : fresh) play->records.Abandon(number.get<std::string>());
  return Json{{"after", reason}, {"fresh", std::move(fresh)}};
}

// The runs of steps in the order in which those ended, and behind them the ones that go on.
std::vector<RunOfStep> RunsOfSteps(const RunPaths& run, const std::vector<Event>& events,
                                   const StepRecords& records) {
  std::vector<RunOfStep> ended;
  std::map<std::tuple<std::string, std::string, int>, RunOfStep> open;
  for (const Event& event : events) {
    const bool begins = event.type == EventType::kWorkflowStepStarted;
    if (!begins && event.type != EventType::kWorkflowStepFinished) continue;
    const std::string scope = JsonString(event.data, "scope").value_or("");
    const std::string step = JsonString(event.data, "step").value_or("");
    const auto times = static_cast<int>(JsonInt(event.data, "run").value_or(1));
    const auto number = JsonString(event.data, "number");
    if (begins && number.has_value()) {
      open[{scope, step, times}] = {absl::StrCat(run.id, ".", *number), absl::StrCat("step ", step),
                                    false};
    } else if (const auto found = open.find({scope, step, times}); !begins && found != open.end()) {
      found->second.is_done = records.Find(scope, step, times) != nullptr;
      ended.push_back(std::move(found->second));
      open.erase(found);
    }
  }
  for (auto& [key, step] : open) ended.push_back(std::move(step));
  return ended;
}

// Before the workflow goes on in the name of steps whose work is gone.
absl::Status CheckStepsStand(const WorkflowServices& services, const RunPaths& run,
                             const std::vector<Event>& events, const StepRecords& records) {
  const SessionContext& context = *services.context;
  STILE_RETURN_IF_ERROR(RecoverTransactions(context.file_system, context.clock,
                                            context.store->edits_dir(), services.workspace)
                            .status());
  const RunArchive archive = {context.store, context.runner, context.clock};
  STILE_ASSIGN_OR_RETURN(
      const std::optional<MissingWork> missing,
      FindMissingWork(archive, services.workspace, RunsOfSteps(run, events, records)));
  if (!missing.has_value()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      DescribeMissing(*missing), ". ",
      missing->was_undone ? ""
                          : absl::StrCat("Put back what it left (`stile runs diff ",
                                         missing->run.run_id, "` shows it), or "),
      missing->was_undone ? "Start" : "start", " the workflow again with `stile workflow run`."));
}

}  // namespace

absl::StatusOr<WorkflowOutcome> ResumeWorkflow(WorkflowServices services, const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  STILE_ASSIGN_OR_RETURN(const JournalContents contents,
                         ReadJournal(run.journal, services.context->secrets));
  if (contents.events.empty() || contents.events.front().type != EventType::kRunStarted) {
    return absl::DataLossError(absl::StrCat("the journal of run ", run.id, " has no beginning"));
  }
  for (const Event& event : contents.events) {
    const bool is_input =
        event.type == EventType::kRunStarted || event.type == EventType::kWorkflowStepFinished;
    if (is_input) STILE_RETURN_IF_ERROR(CheckRestored(event.data));
  }
  const Json& start = contents.events.front().data;
  services.model = JsonString(start, "model").value_or("");
  services.base_url = JsonString(start, "base_url").value_or("");
  WorkflowPlay play;
  play.file = JsonString(start, "workflow_file").value_or("");
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadWorkflowText(play.file));
  auto workflow = ParseWorkflow(text, play.file, ReadWorkflowTextBeside);
  if (!workflow.ok() || workflow->sha256 != JsonString(start, "workflow_sha256")) {
    return absl::FailedPreconditionError(
        absl::StrCat("the workflow ", play.file,
                     " has changed since, or a file that it reads (extends, imports, schemas), and "
                     "what its steps gave may not fit any more; put the files back, or start it "
                     "again with `stile workflow run`",
                     workflow.ok() ? "" : absl::StrCat(" (", workflow.status().message(), ")")));
  }
  play.workflow = *std::move(workflow);
  STILE_RETURN_IF_ERROR(CheckNeeds(services, play.workflow));
  play.request.event = JsonString(start, "event").value_or("manual");
  const Json* const inputs = JsonMember(start, "inputs");
  const Json* const env = JsonMember(start, "env");
  if (inputs == nullptr || !inputs->is_object() || env == nullptr || !env->is_object()) {
    return absl::DataLossError(
        absl::StrCat("the journal of run ", run.id, " begins without inputs and env"));
  }
  play.request.inputs = *inputs;
  play.spent = TimeWorked(contents.events);
  play.started = contents.events.front().time;
  if (const auto ms = JsonInt(start, "started_ms")) play.started = absl::FromUnixMillis(*ms);
  play.env = *env;
  STILE_ASSIGN_OR_RETURN(play.records, StepRecords::FromEvents(contents.events));
  play.first_seq = contents.events.back().seq + 1;
  play.opening.type = EventType::kRunResumed;
  play.opening.data = {{"turns", 0}, {"workspace_changed", false}};
  if (const Event& last = contents.events.back(); last.type == EventType::kRunFinished) {
    STILE_ASSIGN_OR_RETURN(
        const Json more,
        Reopen(*services.context, run, JsonString(last.data, "reason").value_or(""), &play));
    play.opening.data.update(more);
  }
  STILE_RETURN_IF_ERROR(CheckStepsStand(services, run, contents.events, play.records));
  play.opening.data["steps"] = play.records.size();
  return Play(services, run, std::move(play));
}

absl::StatusOr<std::vector<WorkflowCaseResult>> PlayWorkflowTests(
    const WorkflowServices& services, const std::string& file, const std::string& filter,
    const std::function<void(const WorkflowCaseResult&)>& on_case) {
  const SessionContext& context = *services.context;
  STILE_ASSIGN_OR_RETURN(const TestedWorkflow tested, ReadWorkflowTests(file));
  std::vector<WorkflowCaseResult> results;
  for (const WorkflowCase& test : tested.tests.cases) {
    if (!absl::StrContains(test.name, filter)) continue;
    WorkflowSteps steps(&services, NewRunId(context.clock->Now()), DirName(tested.path), RunPaths(),
                        nullptr);
    WorkflowOptions options;
    options.variables.env = EnvironmentOf(tested.workflow, context.options->environment);
    options.clock = context.clock;
    options.cancellation = context.options->cancellation;
    STILE_ASSIGN_OR_RETURN(WorkflowCaseResult result,
                           PlayCase(test, tested.workflow, &steps, options));
    if (on_case) on_case(result);
    results.push_back(std::move(result));
  }
  if (results.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": no case has a name with '", filter, "' in it"));
  }
  return results;
}

}  // namespace stile

#include "agents/api/agent_body.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/api/mcp_host.h"
#include "agents/api/run_undo.h"
#include "agents/api/untrusted.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/base/ids.h"
#include "runtime/base/picture.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/journal/journal.h"
#include "runtime/session/edits_body.h"
#include "runtime/session/gated_session.h"
#include "runtime/session/session_finish.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// In the run's folder, for the process that goes on with it.
absl::Status KeepPictures(FileSystem* file_system, const RunPaths& run,
                          std::vector<ImageData>* pictures) {
  for (size_t i = 0; i < pictures->size(); ++i) {
    STILE_ASSIGN_OR_RETURN(const std::string bytes, Base64Decode((*pictures)[i].base64));
    STILE_RETURN_IF_ERROR(file_system->MakeDirs(run.outputs));
    (*pictures)[i].file = JoinPath(run.outputs, absl::StrCat("task-picture-", i + 1));
    STILE_RETURN_IF_ERROR(WriteFileAtomically(file_system, (*pictures)[i].file, bytes, 0600));
  }
  return absl::OkStatus();
}

RunPlan PlanOf(const SessionContext& context, const RunHistory& history) {
  RunPlan plan = PlanFromJson(history.start, SettingsOf(context, AgentTask()));
  ApplyGivenLimits(context.options->config, &plan.limits);
  return plan;
}

SessionRequest RequestFor(const SessionContext& context, const std::string& run_id,
                          const std::string& workspace, const std::vector<Allowance>& allow,
                          const EventSink& sink,
                          const std::optional<std::vector<std::string>>& delivered) {
  const Config& config = context.options->config;
  SessionRequest request;
  request.run_id = run_id;
  request.workspace = workspace;
  request.gate = config.gate;
  request.allow = allow;
  request.rules_sha256 = RulesSha256(config);
  request.untrusted = config.untrusted_validators;
  if (std::string text = UntrustedText(config); !text.empty()) {
    request.warnings.push_back(ToUtf8(text));
  }
  request.on_event = sink;
  // Without a clean room nothing judges the commit by itself: its certificates name what was
  // judged.
  if (config.deliver.clean_room) request.delivered = delivered;
  return request;
}

absl::StatusOr<RunResult> Start(const SessionContext& context, const SessionRequest& request,
                                SessionBody* body) {
  STILE_RETURN_IF_ERROR(CheckUntrusted(context.options->config));
  return StartSession(context, request, body);
}

// How a run goes on, whatever its body.
struct Continuation {
  bool go_on = false;
  bool is_edits = false;
  bool is_external = false;
  std::optional<std::vector<std::string>> delivered;
};

absl::StatusOr<RunResult> Continue(const SessionContext& context, const RunPaths& run,
                                   const Continuation& how, const EventSink& sink,
                                   SessionBody* body) {
  STILE_ASSIGN_OR_RETURN(PastSession past, OpenPastSession(context, run));
  if (past.history.finished && (!how.go_on || past.ended_with_success())) {
    return StoredResult(context, past, sink);
  }
  STILE_RETURN_IF_ERROR(CheckUntrusted(context.options->config));
  const Json& start = past.history.start;
  if (IsOfProgram(start)) return ProgramIsNotResumed(run.id);
  if (IsExternal(start) != how.is_external) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run.id,
                     how.is_external ? " is no session of `stile gate begin`"
                                     : " is a session of `stile gate begin`, which "
                                       "`stile gate finish` ends"));
  }
  if (IsOfEdits(start) != how.is_edits) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", run.id, " takes over what a step of a story did, and goes on with the ",
        "story alone: `stile runs resume ", run.id.substr(0, run.id.find('.')), "`"));
  }
  const SessionRequest request =
      RequestFor(context, run.id, JsonString(start, "workspace").value_or(""), AllowancesIn(start),
                 sink, how.delivered);
  return ContinueSession(context, request, std::move(past), body);
}

// The run of that id that has begun; nullopt: none, or one that ended before its first event, of
// which nothing is left then.
absl::StatusOr<std::optional<RunPaths>> EarlierRun(const SessionContext& context,
                                                   const std::string& run_id) {
  const absl::StatusOr<RunPaths> earlier = context.store->Find(run_id);
  if (!earlier.ok() || earlier->id != run_id) return std::nullopt;
  const absl::StatusOr<RunSummary> summary = context.store->Summarize(*earlier);
  if (summary.ok() && summary->reason == kNotBegun) {
    STILE_RETURN_IF_ERROR(RemoveTree(earlier->folder));
    return std::nullopt;
  }
  return *earlier;
}

// Runs of older versions do not say which request they came from.
absl::Status CheckSameRequest(const RunPaths& run, const std::string& sha256) {
  if (sha256.empty()) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const JournalEnds ends, ReadJournalEnds(run.journal));
  const std::string before = JsonString(ends.first.data, "request_sha256").value_or("");
  if (before.empty() || before == sha256) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      "another request ran under this id (run ", run.id,
      "), so neither its result nor a new run can answer this one; send it with another id"));
}

// Programs of MCP servers outlive the calls of their tools, and may write until they have ended.
void EndServers(McpServers* servers, const SessionView& session, RunResult* result) {
  servers->End();
  if (!result->ok()) return;
  const absl::StatusOr<std::vector<FileChange>> late = session.workspace->gate()->Refresh();
  if (!late.ok()) return FailSession(late.status(), session, result);
  if (late->empty()) return;
  FailSession(
      StopReason::kGateFailed,
      absl::StrCat("files changed after the gate had accepted them, as MCP servers can do: ",
                   ToUtf8(late->front().path), late->size() > 1 ? " and others" : ""),
      result);
}

}  // namespace

absl::Status AgentBody::Begin(const RunPaths& run, GatedWorkspace* workspace, Json* start) {
  STILE_ASSIGN_OR_RETURN(plan_, PlanRun(context_, task_, *workspace));
  STILE_ASSIGN_OR_RETURN(model_, ModelFor(context_, plan_));
  STILE_ASSIGN_OR_RETURN(plan_.user_images, LoadPictures(task_.images, model_->info()));
  STILE_RETURN_IF_ERROR(KeepPictures(context_.file_system, run, &plan_.user_images));
  start->update(ToJson(plan_, task_));
  return absl::OkStatus();
}

absl::Status AgentBody::CheckCanGoOn(const RunPaths& run, const RunHistory& history) const {
  return CheckLimits(run.id, history, PlanOf(context_, history).limits);
}

absl::Status AgentBody::Resume(const RunHistory& history, Json* resumed) {
  plan_ = PlanOf(context_, history);
  // The cassette that the run began with has played these turns; another one begins at its start.
  if (plan_.model.model == JsonString(history.start, "model").value_or("")) {
    plan_.model.replay_skip =
        PlayedTurns(plan_.model.model, task_.turns_before) + history.CountTurns();
  }
  STILE_ASSIGN_OR_RETURN(model_, ModelFor(context_, plan_));
  for (ImageData& image : plan_.user_images) {
    STILE_ASSIGN_OR_RETURN(const std::string bytes,
                           context_.file_system->ReadFile(image.file, kMaxPictureBytes));
    image.base64 = Base64Encode(bytes);
  }
  (*resumed)["limits"] = ToJson(plan_.limits);
  return absl::OkStatus();
}

ExecutorOptions AgentBody::OptionsFor(const SessionView& session) const {
  const AgentOptions& options = *context_.options;
  GatedWorkspace* const workspace = session.workspace;
  ExecutorOptions executor;
  executor.system_prompt = plan_.system_prompt;
  executor.user_prompt = plan_.FirstMessage();
  executor.user_images = plan_.user_images;
  executor.limits = plan_.limits;
  if (executor.limits.context_tokens == 0) {
    executor.limits.context_tokens = model_->info().context_tokens;
  }
  executor.temperature = plan_.temperature;
  executor.consent = {options.config.permissions, options.config.yes, options.on_ask,
                      workspace->workspace(), options.outer_permissions};
  executor.before_tool = [&session] { return session.journal->status(); };
  executor.on_turn_end = [&session] { return session.journal->SyncSoon(); };
  executor.model = model_.get();
  executor.gate = workspace->gate();
  executor.events = session.events;
  executor.clock = context_.clock;
  executor.cancellation = session.deadline->cancellation();
  executor.deadline = session.deadline;
  ToolContext& tools = executor.tool_context;
  tools.workspace = workspace->workspace();
  tools.journal_dir = context_.store->edits_dir();
  tools.output_dir = session.run.outputs;
  tools.file_system = context_.file_system;
  tools.runner = context_.runner;
  tools.clock = context_.clock;
  tools.environment = EnvironmentForCommands(options.environment);
  tools.command_runner = workspace->sandbox()->commands();
  tools.wrap_programs = [workspace](const Repository& repository) {
    return workspace->WrapPrograms(repository);
  };
  tools.sandboxed = [workspace] { return workspace->sandbox()->active(); };
  return executor;
}

SessionEnd AgentBody::Work(const SessionView& session, std::optional<RunHistory> history) {
  const AgentOptions& options = *context_.options;
  GatedWorkspace* const workspace = session.workspace;
  Gate* const gate = workspace->gate();
  for (const std::string& text : InstructionWarnings(plan_.instruction_sources)) {
    session.events->Emit(Warning(text));
  }
  if (plan_.limits.wall_time_s > 0) {
    const absl::Duration used = history.has_value() ? history->elapsed : absl::ZeroDuration();
    session.deadline->Start(absl::Seconds(plan_.limits.wall_time_s) - used);
  }
  const FileLister list_files = FilesOf(gate);
  const absl::StatusOr<std::string> folder = WorkspaceDirOf(context_, workspace->workspace());
  CodeIndex index(workspace->workspace(), context_.languages, list_files,
                  {folder.ok() ? JoinPath(*folder, "index") : "", context_.clock});
  ResolverPool resolvers(ResolversOf(
      context_, workspace->workspace(), [workspace] { return workspace->sandbox()->resolvers(); },
      list_files, [&session] { return session.deadline->cancellation(); }));
  McpServers servers(options.config.mcp_servers,
                     McpHostOf(context_, workspace->workspace(), workspace->sandbox(),
                               [&session] { return session.deadline->cancellation(); }));
  const McpServers::Listing mcp_tools =
      servers.ListTools([this](const std::string& server) { return WantsServer(plan_, server); });
  const ToolParts parts = {gate,     context_.languages,
                           &index,   options.config.resolvers ? &resolvers : nullptr,
                           &servers, &mcp_tools};
  std::vector<std::string> warnings = mcp_tools.failures;
  const ToolRegistry tools(ToolsFor(plan_, parts, &warnings));
  for (const std::string& text : warnings) {
    session.events->Emit(Warning(ToUtf8(text)));
  }
  ExecutorOptions executor = OptionsFor(session);
  executor.history = std::move(history);
  executor.plan_sub_agent = [&](const std::string& profile, const std::string& task) {
    return PlanSubAgent(context_, plan_, parts, workspace->workspace(), profile, task);
  };
  executor.tools = &tools;
  ReactExecutor react(std::move(executor));
  SessionEnd end;
  end.result = react.Run();
  end.accepted = react.accepted();
  const bool is_enforced = options.config.gate.mode == GateSettings::Mode::kEnforce;
  if (!options.config.mcp_servers.empty() && is_enforced) {
    EndServers(&servers, session, &end.result);
  }
  return end;
}

absl::StatusOr<RunResult> RunAgent(const SessionContext& context, const std::string& run_id,
                                   const AgentTask& task, const EventSink& sink) {
  AgentBody body(&context, task);
  std::optional<RunPaths> earlier;
  if (!run_id.empty()) {
    STILE_ASSIGN_OR_RETURN(earlier, EarlierRun(context, run_id));
  }
  if (!earlier.has_value()) {
    const std::string id = run_id.empty() ? NewRunId(context.clock->Now()) : run_id;
    return Start(context, RequestFor(context, id, task.workspace, task.allow, sink, task.delivered),
                 &body);
  }
  STILE_RETURN_IF_ERROR(CheckSameRequest(*earlier, task.request_sha256));
  STILE_RETURN_IF_ERROR(CheckNotUndone(*earlier));
  return Continue(context, *earlier, {task.go_on, false, false, task.delivered}, sink, &body);
}

absl::StatusOr<RunResult> RunEdits(const SessionContext& context, const MergeTask& task,
                                   const EventSink& sink) {
  EditsBody body(task.task, &task.work);
  STILE_ASSIGN_OR_RETURN(const std::optional<RunPaths> earlier, EarlierRun(context, task.run_id));
  if (!earlier.has_value()) {
    return Start(context,
                 RequestFor(context, task.run_id, task.workspace, task.allow, sink, task.delivered),
                 &body);
  }
  STILE_RETURN_IF_ERROR(CheckNotUndone(*earlier));
  return Continue(context, *earlier, {/*go_on=*/false, /*is_edits=*/true, false, task.delivered},
                  sink, &body);
}

absl::StatusOr<RunResult> RunProgram(const SessionContext& context, const std::string& workspace,
                                     const GatedProgram& program, const EventSink& sink) {
  ProgramBody body(program);
  return Start(
      context,
      RequestFor(context, NewRunId(context.clock->Now()), workspace, {}, sink, std::nullopt),
      &body);
}

absl::StatusOr<std::string> OpenExternal(const SessionContext& context,
                                         const std::string& workspace, const ExternalWork& work,
                                         const EventSink& sink) {
  ExternalBody body(ExternalBody::Step::kOpen, work);
  const std::string id = NewRunId(context.clock->Now());
  STILE_RETURN_IF_ERROR(
      Start(context, RequestFor(context, id, workspace, {}, sink, std::nullopt), &body).status());
  return id;
}

absl::StatusOr<RunResult> ContinueExternal(const SessionContext& context, const RunPaths& run,
                                           ExternalBody::Step step, const EventSink& sink) {
  const int64_t seconds = context.options->config.limits.wall_time_s;
  ExternalBody body(step, {}, seconds > 0 ? absl::Seconds(seconds) : absl::InfiniteDuration());
  return Continue(context, run, {/*go_on=*/false, false, /*is_external=*/true, std::nullopt}, sink,
                  &body);
}

absl::StatusOr<RunResult> ContinueRun(const SessionContext& context, const RunPaths& run,
                                      bool go_on, const EventSink& sink) {
  AgentBody body(&context, AgentTask());
  return Continue(context, run, {go_on, false, false, std::nullopt}, sink, &body);
}

absl::Status CheckCanGoOn(const SessionContext& context, const RunPaths& run) {
  return CheckCanContinue(run, RulesSha256(context.options->config),
                          AgentBody(&context, AgentTask()));
}

}  // namespace stile

#include "agents/api/run_session.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "agents/api/killed_run.h"
#include "agents/api/merge_run.h"
#include "agents/api/run_plan.h"
#include "agents/api/source_folders.h"
#include "agents/api/trust.h"
#include "runtime/base/disk_full.h"
#include "runtime/base/picture.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/certificate/certificate.h"
#include "runtime/certificate/certificate_envelope.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/journal/heartbeat.h"
#include "runtime/loop/react_executor.h"
#include "runtime/story/story_place.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxForeignShown = 10;

// What the run changed, with both contents in the store, for `runs diff` and `runs undo`.
absl::Status RecordChanges(const SessionContext& context, const RunPaths& run,
                           GateSession* session) {
  const Gate& gate = *session->gate();
  STILE_ASSIGN_OR_RETURN(
      const std::vector<RecordedChange> changes,
      KeepChanges(gate.Changes(), gate.baseline(), gate.current(), session->content()));
  return WriteChanges(context.file_system, run, changes);
}

const Cancellation* CancellationOf(const SessionContext& context) {
  return context.cancellation != nullptr ? context.cancellation : context.options->cancellation;
}

// git's id of the accepted content; "" without git, or where git cannot tell.
std::string AcceptedTree(const WorkspaceState& state, const Gate& gate, EventStream* events) {
  if (!state.repository.has_value()) return "";
  std::set<std::string> paths;
  for (const auto& [path, content] : state.differing) paths.insert(path);
  for (const FileChange& change : gate.Changes()) paths.insert(change.path);
  std::vector<std::string> listed;
  for (const std::string& path : paths) {
    const FileRecord* file = gate.current().Find(path);
    const bool special = file != nullptr && file->kind == FileRecord::Kind::kSpecial;
    if (!special) listed.push_back(state.prefix + path);
  }
  const auto tree = state.repository->TreeWith(state.base_commit, listed);
  if (tree.ok()) return *tree;
  events->Emit(
      EventType::kLog,
      {{"level", "warning"},
       {"text", absl::StrCat("the certificate names no tree: ", tree.status().message())}});
  return "";
}

absl::Status WriteCertificate(const SessionContext& context, const RunPaths& run,
                              GateSession* session, const ChatModel& model, EventStream* events,
                              RunResult* result) {
  Gate* gate = session->gate();
  CertificateContext details;
  details.run_id = run.id;
  details.outcome = std::string(RunStateName(result->outcome));
  details.workspace = session->workspace();
  details.prefix = session->state().prefix;
  details.base_commit = session->state().base_commit;
  details.tree = AcceptedTree(session->state(), *gate, events);
  details.provider = model.info().provider;
  details.model = model.info().model;
  details.usage = ToJson(result->usage);
  details.turns = result->turns;
  details.time = context.clock->Now();
  details.sandbox = session->sandbox()->description();
  Json statement = BuildCertificate(*gate, details);
  // git read the files after they were accepted: its tree is theirs only if they are the same
  // still.
  const std::string accepted = gate->WithoutOutputs().RootHash();
  STILE_RETURN_IF_ERROR(gate->Refresh().status());
  if (gate->WithoutOutputs().RootHash() != accepted) statement["predicate"]["tree"] = nullptr;
  std::string text = DumpJson(statement);
  if (context.signing_key != nullptr) text = SealCertificate(text, *context.signing_key);
  text.push_back('\n');
  STILE_RETURN_IF_ERROR(WriteFileAtomically(context.file_system, run.certificate, text, 0600));
  result->certificate = RunResult::CertificateRef{run.certificate, Sha256Hex(text)};
  return absl::OkStatus();
}

// Of a run that has succeeded: it is most of what small runs leave.
void DropWhatOnlyResumingNeeds(const SessionContext& context, const RunPaths& run) {
  context.file_system->RemoveFile(run.baseline).IgnoreError();
  context.file_system->RemoveFile(run.alive).IgnoreError();
  context.file_system->RemoveDir(run.outputs).IgnoreError();  // stays if there is something in it
}

absl::StatusOr<std::string> WorkspaceDirOf(const SessionContext& context,
                                           const std::string& workspace) {
  if (!context.workspace_dir.empty()) return context.workspace_dir;
  return context.store->WorkspaceDir(workspace);
}

}  // namespace

ResolverPool::Host ResolversOf(
    const SessionContext& context, const std::string& workspace,
    std::function<absl::StatusOr<ProcessRunner*>()> open_runner,
    std::function<void(const std::function<void(const std::string&)>&)> list_files,
    const Cancellation* cancellation) {
  ResolverPool::Host host;
  host.workspace = workspace;
  if (const auto folder = WorkspaceDirOf(context, workspace); folder.ok()) {
    host.state_folder = JoinPath(*folder, "resolvers");
  }
  host.languages = context.languages;
  host.open_runner = std::move(open_runner);
  host.environment = EnvironmentForCommands(context.options->environment);
  host.list_files = std::move(list_files);
  host.cancellation = cancellation;
  host.clock = context.clock;
  return host;
}

namespace {

absl::StatusOr<RunResult> Execute(const SessionContext& context, const RunPaths& run,
                                  const RunPlan& plan, const std::string& workspace,
                                  GateSession* session, EventStream* events, JournalWriter* journal,
                                  ChatModel* model, Deadline* deadline, const MergedWork* merge,
                                  std::optional<RunHistory> history) {
  const AgentOptions& options = *context.options;
  const Heartbeat heartbeat(run);
  if (plan.limits.wall_time_s > 0) {
    const absl::Duration used = history.has_value() ? history->elapsed : absl::ZeroDuration();
    deadline->Start(absl::Seconds(plan.limits.wall_time_s) - used);
  }
  const auto list_files = [session](const auto& use) {
    for (const FileRecord& file : session->gate()->current().files()) {
      if (file.kind == FileRecord::Kind::kRegular) use(file.path);
    }
  };
  STILE_ASSIGN_OR_RETURN(const std::string memory, WorkspaceDirOf(context, workspace));
  CodeIndex index(workspace, context.languages, list_files,
                  {JoinPath(memory, "index"), context.clock});
  ResolverPool resolvers(ResolversOf(
      context, workspace, [session] { return session->sandbox()->resolvers(); }, list_files,
      deadline->cancellation()));
  const ToolParts parts = {session->gate(), context.languages, &index,
                           options.config.resolvers ? &resolvers : nullptr, merge};
  const ToolRegistry tools(ToolsFor(plan, parts));
  ExecutorOptions executor;
  executor.system_prompt = plan.system_prompt;
  executor.user_prompt = plan.FirstMessage();
  executor.user_images = plan.user_images;
  executor.limits = plan.limits;
  if (executor.limits.context_tokens == 0) {
    executor.limits.context_tokens = model->info().context_tokens;
  }
  executor.temperature = plan.temperature;
  executor.permissions = options.config.permissions;
  executor.yes = options.config.yes;
  executor.on_ask = options.on_ask;
  executor.history = std::move(history);
  executor.plan_sub_agent = [&](const std::string& profile, const std::string& task) {
    return PlanSubAgent(context, plan, parts, workspace, profile, task);
  };
  executor.before_tool = [journal] { return journal->status(); };
  executor.on_turn_end = [journal] { return journal->SyncSoon(); };
  executor.model = model;
  executor.tools = &tools;
  executor.gate = session->gate();
  executor.events = events;
  executor.clock = context.clock;
  executor.cancellation = deadline->cancellation();
  executor.deadline = deadline;
  executor.tool_context.workspace = workspace;
  executor.tool_context.journal_dir = context.store->edits_dir();
  executor.tool_context.output_dir = run.outputs;
  executor.tool_context.file_system = context.file_system;
  executor.tool_context.runner = context.runner;
  executor.tool_context.clock = context.clock;
  executor.tool_context.environment = EnvironmentForCommands(options.environment);
  RunSandbox* const sandbox = session->sandbox();
  executor.tool_context.command_runner = sandbox->commands();
  executor.tool_context.wrap_programs = [session, &context](const Repository& repository) {
    return session->WrapPrograms(context, repository);
  };
  executor.tool_context.sandboxed = [sandbox] { return sandbox->active(); };
  if (const std::string text = RestoredText(session->restored()); !text.empty()) {
    events->Emit(EventType::kLog, {{"level", "warning"}, {"text", text}});
  }
  ReactExecutor react(std::move(executor));
  RunResult result = react.Run();
  const bool proven =
      result.outcome == RunState::kSucceeded || result.outcome == RunState::kUnchanged;
  absl::Status status;
  if (proven) {
    status = WriteCertificate(context, run, session, *model, events, &result);
  }
  if (status.ok()) status = session->gate()->Close(proven);
  if (status.ok()) status = RecordChanges(context, run, session);
  if (!status.ok()) {
    // Without its proof and its memory a success cannot be told from a claim.
    result.outcome = RunState::kFailed;
    result.reason = StopReason::kInternal;
    result.message = FailureText(WithContext(status, "the end of the run could not be recorded"),
                                 events->run_id());
    result.certificate.reset();
  }
  result.untrusted = options.config.untrusted_validators;
  events->Emit(EventType::kRunFinished, ToJson(result));
  STILE_RETURN_IF_ERROR(journal->Sync());
  if (result.ok() && proven) DropWhatOnlyResumingNeeds(context, run);
  return result;
}

void AddSinks(EventStream* events, JournalWriter* journal, const EventSink& sink) {
  events->AddSink([journal](const Event& event) { journal->Append(event); });
  if (sink) events->AddSink(sink);
}

}  // namespace

namespace {

// Of the workspace and of repositories inside it, where they have files that are not ignored.
std::vector<std::string> GitDirectories(const Snapshot& files, const std::string& workspace) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  const auto look = [&](const std::string& folder) {
    // A second working tree has a file of that name; whoever writes it says where git reads
    // settings.
    std::string path = CleanPath(JoinPath(JoinPath(workspace, folder), ".git"));
    if (seen.insert(folder).second && FileExists(path)) found.push_back(std::move(path));
  };
  look(".");
  for (const FileRecord& file : files.files()) {
    for (std::string folder = DirName(file.path); folder != "." && seen.count(folder) == 0;
         folder = DirName(folder)) {
      look(folder);
    }
  }
  return found;
}

}  // namespace

std::string PublicUrl(absl::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t scheme = url.find("://");
  if (scheme == absl::string_view::npos) return std::string(url);
  const size_t host = scheme + 3;
  const size_t at = url.substr(host, url.find('/', host) - host).rfind('@');
  return at == absl::string_view::npos
             ? std::string(url)
             : absl::StrCat(url.substr(0, host), url.substr(host + at + 1));
}

absl::StatusOr<std::unique_ptr<RunSandbox>> OpenSandbox(const SessionContext& context,
                                                        const std::string& workspace,
                                                        const std::optional<Repository>& repository,
                                                        const std::string& outputs) {
  SandboxPlace place;
  place.outputs = outputs;
  place.workspace = workspace;
  place.state_dir = context.store->state_dir();
  STILE_ASSIGN_OR_RETURN(place.workspace_dir, WorkspaceDirOf(context, workspace));
  place.config_dir = DirName(UserConfigFile(context.options->environment));
  place.environment = context.options->environment;
  place.secrets = {context.options->config.certificate_key};
  if (repository.has_value()) {
    const std::string common = CleanPath(repository->common_dir());
    place.repositories = {repository->root(), repository->git_dir(), common};
    // A worktree's dependencies are links into the main working tree.
    if (BaseName(common) == ".git") place.repositories.push_back(DirName(common));
  }
  return RunSandbox::Open(context.options->config.sandbox, std::move(place), *context.languages,
                          context.runner);
}

absl::StatusOr<std::vector<std::string>> GateSession::WrapPrograms(const SessionContext& context,
                                                                   const Repository& repository) {
  if (sandbox_ == nullptr) {
    STILE_ASSIGN_OR_RETURN(sandbox_, OpenSandbox(context, workspace_, repository, outputs_));
  }
  return sandbox_->ProgramWrapper(repository.git_dir(), repository.common_dir());
}

absl::StatusOr<std::unique_ptr<GateSession>> GateSession::Open(
    const SessionContext& context, const std::string& workspace, const GateSettings& settings,
    const Cancellation* cancellation, EventStream* events, std::optional<Snapshot> baseline,
    const std::string& base_commit, const std::string& outputs) {
  auto session = std::make_unique<GateSession>();
  session->workspace_ = workspace;
  session->outputs_ = outputs;
  // What does not exist cannot be shown in a sandbox that is made now.
  if (!outputs.empty()) STILE_RETURN_IF_ERROR(context.file_system->MakeDirs(outputs));
  STILE_ASSIGN_OR_RETURN(session->restored_,
                         RecoverTransactions(context.file_system, context.clock,
                                             context.store->edits_dir(), workspace));
  GateOptions options;
  STILE_ASSIGN_OR_RETURN(options.state_dir, WorkspaceDirOf(context, workspace));
  WorkspaceMemory memory =
      LoadWorkspaceMemory(context.file_system, WorkspaceMemoryFile(options.state_dir));
  if (!baseline.has_value()) {
    STILE_ASSIGN_OR_RETURN(memory, MemoryWithSourceFolders(context.file_system, options.state_dir,
                                                           workspace, *context.languages));
  }
  const auto is_watched = [&](const std::string& path) {
    return IsWatched(path, *context.languages, settings.watch);
  };
  const ProgramWrapper wrapper = [session = session.get(), &context](const Repository& repository) {
    return session->WrapPrograms(context, repository);
  };
  STILE_ASSIGN_OR_RETURN(session->state_, InspectWorkspace(context.runner, wrapper, workspace,
                                                           is_watched, NeverIgnoredBy(memory)));
  if (!base_commit.empty()) session->state_.base_commit = base_commit;
  session->content_ =
      std::make_unique<StoredBaselineContent>(workspace, context.store->blobs(), &session->state_);
  options.workspace = workspace;
  options.settings = settings;
  options.environment = context.options->environment;
  options.ignore_rules = session->state_.rules;
  options.inherited = session->state_.differing;
  options.baseline = std::move(baseline);
  options.languages = context.languages;
  options.validators = context.validators;
  options.file_system = context.file_system;
  if (session->sandbox_ == nullptr) {
    STILE_ASSIGN_OR_RETURN(session->sandbox_,
                           OpenSandbox(context, workspace, session->state_.repository, outputs));
  }
  options.runner = session->sandbox_->judges();
  options.clock = context.clock;
  options.events = events;
  options.baseline_content = session->content_.get();
  options.weakening = context.weakening;
  options.conditions = context.conditions;
  options.scopes = context.scopes;
  options.syntax = context.syntax;
  options.functions = context.functions;
  options.cancellation = cancellation;
  options.log = context.validation_log;
  options.remembers_changes = events != nullptr;
  STILE_ASSIGN_OR_RETURN(session->gate_, Gate::Start(std::move(options)));
  session->sandbox_->Protect(GitDirectories(session->gate_->current(), workspace));
  return session;
}

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

absl::StatusOr<RunResult> StartRunIn(const SessionContext& context, const RunPaths& run,
                                     const SessionTask& task, const EventSink& sink) {
  EventStream events(run.id, context.clock, 1, context.secrets);
  Deadline deadline(CancellationOf(context));
  STILE_RETURN_IF_ERROR(deadline.status());
  STILE_ASSIGN_OR_RETURN(
      std::unique_ptr<GateSession> session,
      GateSession::Open(context, task.workspace, SettingsFor(context, task.merge, task.allow),
                        deadline.cancellation(), &events, std::nullopt, "", run.outputs));
  STILE_ASSIGN_OR_RETURN(RunPlan plan, PlanRun(context, task, session.get()));
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<ChatModel> model, ModelFor(context, plan, task.merge));
  STILE_ASSIGN_OR_RETURN(plan.user_images, LoadPictures(task.images, model->info()));
  STILE_RETURN_IF_ERROR(KeepPictures(context.file_system, run, &plan.user_images));
  STILE_RETURN_IF_ERROR(KeepUncommitted(session->gate()->baseline(), session->state(),
                                        session->content(), context.store->blobs()));
  STILE_RETURN_IF_ERROR(WriteFileAtomically(context.file_system, run.baseline,
                                            SerializeSnapshot(session->gate()->baseline()), 0600));
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> journal, JournalWriter::Open(run.journal));
  AddSinks(&events, journal.get(), sink);
  Json started = ToJson(plan, task, session->state(), RulesSha256(context.options->config));
  AddUntrusted(context.options->config, &started);
  events.Emit(EventType::kRunStarted, std::move(started));
  SayUntrusted(context.options->config, &events);
  for (const std::string& text : InstructionWarnings(plan.instruction_sources)) {
    events.Emit(EventType::kLog, {{"level", "warning"}, {"text", text}});
  }
  STILE_RETURN_IF_ERROR(journal->Sync());
  return Execute(context, run, plan, task.workspace, session.get(), &events, journal.get(),
                 model.get(), &deadline, task.merge, std::nullopt);
}

}  // namespace

absl::StatusOr<RunResult> StartRun(const SessionContext& context, const std::string& run_id,
                                   const SessionTask& task, const EventSink& sink) {
  STILE_RETURN_IF_ERROR(CheckUntrusted(context.options->config));
  STILE_ASSIGN_OR_RETURN(const RunPaths run, context.store->Create(run_id));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  absl::StatusOr<RunResult> result = StartRunIn(context, run, task, sink);
  if (!result.ok() && !FileExists(run.journal)) RemoveTree(run.folder).IgnoreError();
  return result;
}

namespace {

bool EndedWithSuccess(const RunHistory& history) {
  const absl::StatusOr<RunResult> result = RunResultFromJson(history.finish);
  return history.finished && result.ok() && result->ok();
}

absl::Status CheckRules(const SessionContext& context, const RunPaths& run,
                        const RunHistory& history) {
  if (JsonString(history.start, "rules_sha256") == RulesSha256(context.options->config)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the gate, permissions, sandbox, validators or languages are set otherwise than when run ",
      run.id,
      " began, and a run is judged by one set of rules: put stile.yaml and the user's "
      "configuration back, or start a new run"));
}

RunPlan PlanOf(const SessionContext& context, const RunHistory& history) {
  RunPlan plan = PlanFromJson(history.start, SettingsOf(context, SessionTask()));
  ApplyGivenLimits(context.options->config, &plan.limits);
  return plan;
}

void SayForeign(const std::vector<std::string>& paths, EventStream* events) {
  if (paths.empty()) return;
  std::string text =
      "changed by others while the run was stopped, so not counted as its work, nor undone: ";
  for (size_t i = 0; i < paths.size() && i < kMaxForeignShown; ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", ShowPath(paths[i]));
  }
  if (paths.size() > kMaxForeignShown) {
    absl::StrAppend(&text, " and ", paths.size() - kMaxForeignShown, " more");
  }
  events->Emit(EventType::kLog, {{"level", "warning"}, {"text", std::move(text)}});
}

// Which counters begin again, for whoever reads the events.
void SayResumed(const RunHistory& history, EventStream* events) {
  if (history.ended_by.empty()) return;
  events->Emit(
      EventType::kLog,
      {{"level", "info"},
       {"text", absl::StrCat("resumed after ", history.ended_by,
                             ": failed validations, validator errors, repetitions and unusable "
                             "replies in a row are counted from 0 again")}});
}

}  // namespace

absl::Status CheckCanGoOn(const SessionContext& context, const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const JournalContents contents, ReadJournal(run.journal));
  STILE_ASSIGN_OR_RETURN(const RunHistory history, ReplayEvents(contents.events));
  if (EndedWithSuccess(history)) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckRules(context, run, history));
  if (!history.finished) return absl::OkStatus();
  return CheckLimits(run.id, history, PlanOf(context, history).limits);
}

absl::StatusOr<RunResult> ContinueRun(const SessionContext& context, const RunPaths& run,
                                      CassetteTurns turns_before, const MergedWork* merge,
                                      bool go_on, const EventSink& sink) {
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  STILE_ASSIGN_OR_RETURN(const JournalContents contents, ReadJournal(run.journal, context.secrets));
  STILE_ASSIGN_OR_RETURN(RunHistory history, ReplayEvents(contents.events));
  if (history.finished && (!go_on || EndedWithSuccess(history))) {
    if (sink) {
      Event end = contents.events.back();
      if (context.secrets != nullptr) context.secrets->MaskFields(&end.data);
      sink(end);
    }
    return RunResultFromJson(history.finish);
  }
  STILE_RETURN_IF_ERROR(CheckUntrusted(context.options->config));
  STILE_RETURN_IF_ERROR(CheckRules(context, run, history));
  RunPlan plan = PlanOf(context, history);
  if (history.finished) {
    STILE_RETURN_IF_ERROR(CheckLimits(run.id, history, plan.limits));
    history.Reopen();
  }
  if ((JsonString(history.start, "model") == kMergeModel) != (merge != nullptr)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", run.id, " takes over what a step of a story did, and goes on with the ",
        "story alone: `stile runs resume ", run.id.substr(0, run.id.find('.')), "`"));
  }
  const std::string workspace = JsonString(history.start, "workspace").value_or("");
  STILE_ASSIGN_OR_RETURN(const Restored restored,
                         RecoverTransactions(context.file_system, context.clock,
                                             context.store->edits_dir(), workspace));
  STILE_ASSIGN_OR_RETURN(ResumedBaseline ground,
                         TakeUpBaseline(context.store, context.runner, run));

  EventStream events(run.id, context.clock, history.last_seq + 1, context.secrets);
  Deadline deadline(CancellationOf(context));
  STILE_RETURN_IF_ERROR(deadline.status());
  STILE_ASSIGN_OR_RETURN(
      std::unique_ptr<GateSession> session,
      GateSession::Open(context, workspace,
                        SettingsFor(context, merge, AllowancesIn(history.start)),
                        deadline.cancellation(), &events, std::move(ground.baseline),
                        JsonString(history.start, "base_commit").value_or(""), run.outputs));
  session->gate()->Restore(history.validations);
  // The cassette that the run began with has played these turns; another one begins at its start.
  if (plan.model.model == JsonString(history.start, "model").value_or("")) {
    plan.model.replay_skip = PlayedTurns(plan.model.model, turns_before) + history.CountTurns();
  }
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<ChatModel> model, ModelFor(context, plan, merge));
  for (ImageData& image : plan.user_images) {
    STILE_ASSIGN_OR_RETURN(const std::string bytes,
                           context.file_system->ReadFile(image.file, kMaxPictureBytes));
    image.base64 = Base64Encode(bytes);
  }
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> journal, JournalWriter::Open(run.journal));
  AddSinks(&events, journal.get(), sink);
  const std::string root = session->gate()->current().RootHash();
  Json resumed = {{"turns", history.CountTurns()},
                  {"workspace_changed", !history.root.empty() && history.root != root},
                  {"limits", ToJson(plan.limits)}};
  if (!history.ended_by.empty()) resumed["after"] = history.ended_by;
  events.Emit(EventType::kRunResumed, std::move(resumed));
  SayUntrusted(context.options->config, &events);
  SayResumed(history, &events);
  SayForeign(ground.foreign, &events);
  if (const std::string text = RestoredText(restored); !text.empty()) {
    events.Emit(EventType::kLog, {{"level", "warning"}, {"text", text}});
  }
  STILE_RETURN_IF_ERROR(session->gate()->RevalidatePassed());
  return Execute(context, run, plan, workspace, session.get(), &events, journal.get(), model.get(),
                 &deadline, merge, std::move(history));
}

}  // namespace stile

// Puts the concrete parts together behind agent.h.
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/agent.h"
#include "agents/api/agent_body.h"
#include "agents/api/catalog.h"
#include "agents/api/external_session.h"
#include "agents/api/project_instructions.h"
#include "agents/api/run_plan.h"
#include "agents/api/run_resume.h"
#include "agents/api/session_context.h"
#include "agents/api/story_ground.h"
#include "agents/api/story_start.h"
#include "agents/api/tool_session.h"
#include "agents/api/toolbox.h"
#include "agents/api/trust.h"
#include "agents/api/verification.h"
#include "agents/api/workflow_outcome.h"
#include "agents/api/workflow_session.h"
#include "agents/api/workspace_claim.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/base/ids.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/certificate/signing_key.h"
#include "runtime/journal/run_changes.h"
#include "runtime/story/story_history.h"
#include "runtime/tool/file_walk.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/tool_registry.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/file_lock.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/builtin_tools.h"
#include "validators/builtin_validators.h"
#include "validators/integrity/changed_functions.h"
#include "validators/integrity/conditional_regions.h"
#include "validators/integrity/symbol_scopes.h"
#include "validators/integrity/tree_syntax_checker.h"
#include "validators/integrity/weakening_detector.h"

namespace stile {
namespace {

constexpr absl::string_view kReplay = "replay:";

// One thing: it owns the parts of one agent, and implements what these ask of each other.
class BuiltAgent : public Agent, private StepRunner {
 public:
  BuiltAgent(AgentOptions options, std::string workspace, LanguageRegistry languages)
      : options_(std::move(options)),
        workspace_(std::move(workspace)),
        languages_(std::move(languages)),
        secrets_(ProviderSecrets(options_.environment)),
        validators_(NewBuiltinValidators(options_.config.validators)),
        weakening_(NewWeakeningDetector(&languages_)),
        conditions_(NewConditionFinder(&languages_)),
        scopes_(NewScopeFinder(&languages_)),
        syntax_(NewSyntaxChecker(&languages_)),
        functions_(NewChangedFunctionFinder(&languages_)),
        runner_(NewLocalProcessRunner()),
        store_(DiskFileSystem(), options_.state_dir),
        signing_key_(
            LoadSigningKey(options_.config.certificate_key, workspace_, options_.environment)),
        context_(MakeContext()) {}

  absl::StatusOr<RunResult> Run(const Task& task) override {
    AgentTask session;
    session.text = task.text;
    session.context = task.context;
    session.images = task.images;
    session.workspace = workspace_;
    session.request_sha256 = task.request_sha256;
    STILE_RETURN_IF_ERROR(CheckRecordFile(options_.record_file));
    STILE_RETURN_IF_ERROR(signing_key_.status());
    STILE_ASSIGN_OR_RETURN(const FileLock claim, Claim());
    return RunAgent(context_, task.run_id, session, options_.on_event);
  }

  absl::StatusOr<RunResult> RunProgram(const GatedProgram& program) override {
    STILE_RETURN_IF_ERROR(signing_key_.status());
    STILE_ASSIGN_OR_RETURN(const FileLock claim, Claim());
    return stile::RunProgram(context_, workspace_, program, options_.on_event);
  }

  absl::StatusOr<std::string> OpenSession(const ExternalWork& work) override {
    STILE_RETURN_IF_ERROR(signing_key_.status());
    STILE_ASSIGN_OR_RETURN(const FileLock claim, Claim());
    return OpenExternal(context_, workspace_, work, options_.on_event);
  }

  absl::StatusOr<RunResult> FinishSession(const std::string& id, bool give_up) override {
    STILE_RETURN_IF_ERROR(signing_key_.status());
    STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Find(id));
    STILE_ASSIGN_OR_RETURN(const FileLock claim, Claim());
    return FinishExternal(context_, run, give_up, options_.on_event);
  }

  absl::StatusOr<SessionStatus> LookAtSession(const std::string& id) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Find(id));
    return LookAtExternal(context_, run);
  }

  absl::StatusOr<RunResult> Resume(const std::string& run_id) override {
    STILE_RETURN_IF_ERROR(signing_key_.status());
    STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Find(run_id));
    RunLock::AwaitRelease(run);
    STILE_ASSIGN_OR_RETURN(const RunSummary summary, store_.Summarize(run));
    STILE_RETURN_IF_ERROR(CheckCanResume(run, summary));
    STILE_ASSIGN_OR_RETURN(const FileLock claim, summary.kind == "story" ? ClaimFor(run) : Claim());
    if (summary.kind != "run") STILE_RETURN_IF_ERROR(CheckUntrusted(options_.config));
    if (summary.kind == "story") {
      STILE_ASSIGN_OR_RETURN(StoryResult story, ResumeStory(run));
      return std::move(story.overall);
    }
    if (summary.kind == kVerificationKind) {
      STILE_ASSIGN_OR_RETURN(VerificationOutcome outcome,
                             stile::ContinueVerification(MakeVerificationServices(), run, {}));
      return std::move(outcome.overall);
    }
    if (summary.kind == "workflow") {
      STILE_ASSIGN_OR_RETURN(WorkflowOutcome outcome, ResumeWorkflow(MakeWorkflowServices(), run));
      return std::move(outcome.overall);
    }
    const bool go_on = summary.outcome == "failed";
    return ContinueRun(context_, run, go_on, options_.on_event);
  }

  absl::StatusOr<WorkflowOutcome> RunWorkflow(const std::string& file,
                                              const WorkflowRequest& request) override {
    STILE_RETURN_IF_ERROR(CheckCanBegin());
    STILE_ASSIGN_OR_RETURN(const FileLock claim, Claim());
    return StartWorkflow(MakeWorkflowServices(), file, request);
  }

  absl::StatusOr<std::vector<WorkflowCaseResult>> TestWorkflow(
      const std::string& file, const std::string& filter,
      const std::function<void(const WorkflowCaseResult&)>& on_case) override {
    return PlayWorkflowTests(MakeWorkflowServices(), file, filter, on_case);
  }

  absl::StatusOr<VerificationOutcome> Verify(const VerificationRequest& request) override {
    STILE_RETURN_IF_ERROR(CheckCanBegin());
    FileLock claim;
    if (request.fix) {
      STILE_ASSIGN_OR_RETURN(claim, Claim());
    }
    return StartVerification(MakeVerificationServices(), NewRunId(context_.clock->Now()), request);
  }

  absl::StatusOr<VerificationOutcome> ContinueVerification(
      const std::string& run_id, const VerificationChanges& changes) override {
    STILE_RETURN_IF_ERROR(CheckUntrusted(options_.config));
    STILE_RETURN_IF_ERROR(signing_key_.status());
    STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Find(run_id));
    RunLock::AwaitRelease(run);
    STILE_ASSIGN_OR_RETURN(const RunSummary summary, store_.Summarize(run));
    STILE_RETURN_IF_ERROR(changes.from_round == 0 ? CheckCanResume(run, summary)
                                                  : CheckNotUndone(run));
    STILE_ASSIGN_OR_RETURN(const FileLock claim, Claim());
    return stile::ContinueVerification(MakeVerificationServices(), run, changes);
  }

  absl::StatusOr<StoryResult> RunStory(const std::string& story_file,
                                       const StoryOptions& options) override;
  absl::StatusOr<StoryResult> RetryStory(const std::string& run_id, int first_step) override;

  absl::StatusOr<ValidationReport> Validate(const ValidateArguments& arguments) override {
    return ValidateIn(workspace_, arguments);
  }

  std::vector<LanguageStatus> Languages(const std::string& only) override {
    return ListLanguages(languages_, only, validators_, workspace_, options_.environment,
                         runner_.get());
  }

  std::vector<ResolverStatus> Resolvers() override {
    return ListResolvers(workspace_, options_.environment);
  }

  absl::StatusOr<SandboxStatus> Sandbox() override { return DescribeSandbox(context_, workspace_); }

  std::vector<InstructionSource> Instructions() override {
    auto files = ToolSession(&context_, workspace_).ListFiles();
    return FindProjectInstructions({workspace_, RepositoryRoot(runner_.get(), workspace_),
                                    files.ok() ? *std::move(files) : std::vector<std::string>()});
  }

  absl::StatusOr<ToolResult> AskTool(const std::string& name, const Json& arguments) override {
    return ToolSession(&context_, workspace_).Ask(name, arguments);
  }
  std::unique_ptr<Toolbox> OpenToolbox() override { return NewToolbox(&context_, workspace_); }
  std::vector<ToolSpec> Tools() override { return ToolSession(&context_, workspace_).Specs(); }

 private:
  SessionContext MakeContext() {
    SessionContext context = NewSessionContext(&options_);
    context.languages = &languages_;
    context.validators = &validators_;
    context.weakening = weakening_.get();
    context.conditions = conditions_.get();
    context.scopes = scopes_.get();
    context.syntax = syntax_.get();
    context.functions = functions_.get();
    context.runner = runner_.get();
    context.file_system = DiskFileSystem();
    context.clock = SystemClock();
    context.store = &store_;
    context.signing_key = signing_key_.ok() && *signing_key_ ? &**signing_key_ : nullptr;
    context.secrets = &secrets_;
    return context;
  }

  WorkflowServices MakeWorkflowServices() {
    return {&context_,
            workspace_,
            "",
            "",
            [this](const std::string& run_id, const AgentTask& task, const EventSink& sink) {
              return RunAgent(context_, run_id, task, sink);
            },
            [this](const std::string& name, const Json& arguments, const ValidationLog& log) {
              return ToolSession(&context_, workspace_).Use(name, arguments, log);
            },
            [this](const std::string& run_id, const VerificationRequest& request,
                   const AgentTask& settings, const EventSink& sink) {
              return VerifyAsStep(MakeVerificationServices(), run_id, request, settings, sink);
            }};
  }

  VerificationServices MakeVerificationServices() {
    VerificationServices services;
    services.context = &context_;
    services.workspace = workspace_;
    services.run_agent = [this](const std::string& run_id, const AgentTask& task,
                                const EventSink& sink) {
      return RunAgent(context_, run_id, task, sink);
    };
    services.validate = [this]() -> absl::StatusOr<bool> {
      STILE_ASSIGN_OR_RETURN(const ValidationReport report, ValidateIn(workspace_, {}));
      return report.verdict == Verdict::kPass && !report.targets.empty();
    };
    services.on_event = options_.on_event;
    return services;
  }

  absl::StatusOr<RunResult> RunStep(const StepTask& task, const EventSink& sink) override {
    AgentTask session;
    session.text = task.task;
    session.context = task.context;
    session.workspace = task.workspace;
    session.agent = task.agent;
    session.max_turns = task.max_turns;
    session.allow = task.allow;
    session.retry = task.retry;
    session.cassette_step = task.name;
    session.model = story_model_;
    session.base_url = story_base_url_;
    session.turns_before = {task.turns_before, task.own_turns_before};
    session.delivered = task.delivered;
    session.go_on = task.go_on;
    SessionContext context = context_;
    if (task.cancellation != nullptr) context.cancellation = task.cancellation;
    return RunAgent(context, task.run_id, session, sink);
  }

  absl::StatusOr<RunResult> RunMerge(const MergeTask& task, const EventSink& sink) override {
    return RunEdits(context_, task, sink);
  }

  absl::Status ShareDependencies(const std::string& workspace, const std::string& folder) override {
    STILE_ASSIGN_OR_RETURN(const WorkspaceState source,
                           InspectWorkspace(runner_.get(), ProgramsOfRepositories(), workspace,
                                            [](const std::string&) { return false; }, {}));
    return LinkDependencies(workspace, source.rules, folder);
  }

  std::optional<std::string> WorkspaceOf(const std::string& run_id) override {
    const absl::StatusOr<RunPaths> run = store_.Find(run_id);
    if (!run.ok() || run->id != run_id) return std::nullopt;
    const absl::StatusOr<RunSummary> summary = store_.Summarize(*run);
    if (!summary.ok()) return "";
    if (summary->reason == kNotBegun) return std::nullopt;
    return summary->workspace;
  }

  absl::Status ForgetWorkspace(const std::string& workspace) override {
    const absl::StatusOr<Repository> repository = Repository::Open(runner_.get(), workspace);
    if (repository.ok()) {
      const std::lock_guard<std::mutex> lock(git_sandboxes_mutex_);
      git_sandboxes_.erase(repository->git_dir());
    }
    STILE_ASSIGN_OR_RETURN(const std::string folder, store_.WorkspaceDir(workspace));
    return RemoveTree(folder);
  }

  absl::Status CheckCanBegin() const {
    STILE_RETURN_IF_ERROR(CheckUntrusted(options_.config));
    STILE_RETURN_IF_ERROR(CheckRecordFile(options_.record_file));
    return signing_key_.status();
  }

  // Held while a run, story or workflow is under way; see AgentOptions::alone.
  absl::StatusOr<FileLock> Claim() { return ClaimWorkspace(store_, workspace_, options_.alone); }
  // Of a story that goes on: where its work is, which may be a working tree of its own.
  absl::StatusOr<FileLock> ClaimFor(const RunPaths& run) {
    const auto history = ReadStoryHistory(store_, run, &secrets_);
    const bool is_elsewhere = history.ok() && DirectoryExists(history->workspace);
    return ClaimWorkspace(store_, is_elsewhere ? history->workspace : workspace_, options_.alone);
  }

  // For undo. Where there is no repository, the story says so when it prepares its place.
  Json GroundOf(const Story& story, const std::string& branch, const std::string& workspace) const {
    const absl::StatusOr<BranchOrigin> ground =
        DescribeOrigin(runner_.get(), branch.empty() ? BranchOf(story) : branch, workspace);
    return ground.ok() ? Json{{"ground", stile::ToJson(*ground)}} : Json::object();
  }

  const std::string& StoryModel() const {
    return options_.config.model.empty() ? story_model_ : options_.config.model;
  }
  absl::StatusOr<StoryResult> ResumeStory(const RunPaths& run);
  // Before anybody looks at what is there: half a change is none.
  absl::Status Recover(const std::string& workspace) {
    if (!DirectoryExists(workspace)) return absl::OkStatus();
    STILE_ASSIGN_OR_RETURN(Restored restored, RecoverTransactions(DiskFileSystem(), context_.clock,
                                                                  store_.edits_dir(), workspace));
    for (std::string& path : restored.changed) restored_.changed.push_back(std::move(path));
    for (std::string& path : restored.foreign) restored_.foreign.push_back(std::move(path));
    return absl::OkStatus();
  }

  RunArchive Archive() { return {&store_, runner_.get(), context_.clock}; }
  absl::StatusOr<StoryResult> RunStoryFile(const RunPaths& run, const RunLock& held,
                                           const Story& story, const std::string& workspace,
                                           const StoryOptions& options, const Event& opening);

  absl::StatusOr<ValidationReport> ValidateAll(const std::string& workspace, Level level) override {
    ValidateArguments arguments;
    arguments.level = level;
    return ValidateIn(workspace, arguments);
  }

  // For a validation that belongs to no run.
  absl::StatusOr<std::unique_ptr<GatedWorkspace>> OpenToLook(const SessionContext& context,
                                                             const std::string& workspace,
                                                             const GateSettings& settings) {
    GatedWorkspaceOptions options;
    options.workspace = workspace;
    options.settings = settings;
    options.cancellation = options_.cancellation;
    return GatedWorkspace::Open(context, std::move(options));
  }

  absl::StatusOr<ValidationReport> ValidateTree(const CleanCheckout& checkout) override {
    STILE_RETURN_IF_ERROR(ShareDependencies(checkout.dependencies, checkout.folder));
    SessionContext context = context_;
    context.workspace_dir = checkout.state_dir;
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> tree,
                           OpenToLook(context, checkout.folder, options_.config.gate));
    // Prose, or code that no validator here can judge: nothing has to pass, whatever would.
    if (tree->gate()->UnvalidatedTargets().empty()) return ValidationReport();
    return tree->gate()->Validate({});
  }

  absl::StatusOr<std::vector<RecordedChange>> ChangesOf(const std::string& run_id) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Find(run_id));
    return ReadChanges(run);
  }

  // One sandbox a repository, for as long as its programs may run in it.
  absl::StatusOr<std::vector<std::string>> WrapPrograms(const Repository& repository) override {
    const std::lock_guard<std::mutex> lock(git_sandboxes_mutex_);
    std::unique_ptr<RunSandbox>& sandbox = git_sandboxes_[repository.git_dir()];
    if (sandbox == nullptr) {
      STILE_ASSIGN_OR_RETURN(sandbox, OpenSandbox(context_, repository.root(), repository, ""));
    }
    return sandbox->ProgramWrapper(repository.git_dir(), repository.common_dir());
  }

  ProgramWrapper ProgramsOfRepositories() {
    return [this](const Repository& repository) { return WrapPrograms(repository); };
  }

  absl::StatusOr<ValidationReport> ValidateIn(const std::string& workspace,
                                              ValidateArguments arguments) {
    GateSettings settings = options_.config.gate;
    settings.baseline = GateSettings::Baseline::kStrict;  // nothing came before: every error counts
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<GatedWorkspace> gated,
                           OpenToLook(context_, workspace, settings));
    arguments.everything = true;
    return gated->gate()->Validate(arguments);
  }

  const AgentOptions options_;
  const std::string workspace_;
  const LanguageRegistry languages_;
  const SecretMasker secrets_;
  const ValidatorRegistry validators_;
  const std::unique_ptr<WeakeningDetector> weakening_;
  const std::unique_ptr<ConditionFinder> conditions_;
  const std::unique_ptr<ScopeFinder> scopes_;
  const std::unique_ptr<SyntaxChecker> syntax_;
  const std::unique_ptr<ChangedFunctionFinder> functions_;
  const std::unique_ptr<ProcessRunner> runner_;
  RunStore store_;
  Restored restored_;        // by Recover, and not yet told
  std::string story_model_;  // of the story under way; for steps whose options choose none
  std::string story_base_url_;
  // Loaded once: what a run puts in its place signs nothing. An error ends runs before they begin.
  const absl::StatusOr<std::optional<Ed25519PrivateKey>> signing_key_;
  const SessionContext context_;
  std::mutex git_sandboxes_mutex_;
  std::map<std::string, std::unique_ptr<RunSandbox>> git_sandboxes_;  // by git directory
};

// A story has a folder and a journal of its own; its steps have theirs. Whoever holds its lock may
// write them.
absl::StatusOr<StoryResult> BuiltAgent::RunStoryFile(const RunPaths& run, const RunLock& /*held*/,
                                                     const Story& story,
                                                     const std::string& workspace,
                                                     const StoryOptions& options,
                                                     const Event& opening) {
  STILE_RETURN_IF_ERROR(Recover(workspace));
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> journal, JournalWriter::Open(run.journal));
  EventStream events(run.id, context_.clock, opening.seq, &secrets_);
  events.AddSink([&](const Event& event) { journal->Append(event); });
  if (options_.on_event) events.AddSink(options_.on_event);
  events.Emit(opening.type, opening.data);
  SayUntrusted(options_.config, &events);
  if (const std::string text = RestoredText(std::exchange(restored_, {})); !text.empty()) {
    events.Emit(EventType::kLog, {{"level", "warning"}, {"text", text}});
  }
  STILE_RETURN_IF_ERROR(journal->Sync());
  StoryRunner runner(runner_.get(), this, &events);
  StoryOptions chosen = options;
  chosen.clean_room = options_.config.deliver.clean_room;
  chosen.secrets = &secrets_;
  // One conversation after the other, where they are played from one file, or written into one.
  const std::string& model = StoryModel();
  const bool is_shared_cassette =
      absl::StartsWith(model, kReplay) && !DirectoryExists(model.substr(kReplay.size()));
  if (is_shared_cassette || !options_.record_file.empty()) {
    chosen.max_parallelism = 1;
  }
  if (chosen.worktrees_dir.empty()) chosen.worktrees_dir = store_.worktrees_dir();
  chosen.run_in = [this](const std::string& folder) { return StoryIn(store_, folder); };
  chosen.on_step_end = [&journal] { return journal->Sync(); };
  absl::StatusOr<StoryResult> result = runner.Run(story, workspace, chosen, options_.cancellation);
  RunResult overall;
  if (result.ok()) {
    result->overall.untrusted = options_.config.untrusted_validators;
    overall = result->overall;
  } else {
    overall.reason =
        absl::IsCancelled(result.status()) ? StopReason::kCancelled : StopReason::kInternal;
    overall.message = std::string(result.status().message());
  }
  events.Emit(EventType::kRunFinished, ToJson(overall));
  STILE_RETURN_IF_ERROR(journal->Sync());
  return result;
}

absl::StatusOr<StoryResult> BuiltAgent::RunStory(const std::string& story_file,
                                                 const StoryOptions& options) {
  STILE_RETURN_IF_ERROR(CheckRecordFile(options_.record_file));
  STILE_RETURN_IF_ERROR(signing_key_.status());
  STILE_RETURN_IF_ERROR(CheckUntrusted(options_.config));
  FileLock claim;
  if (!options.worktree) {
    STILE_ASSIGN_OR_RETURN(claim, Claim());
  }
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadStoryFile(story_file));
  STILE_ASSIGN_OR_RETURN(const Story story, ParseStory(text, story_file));
  STILE_RETURN_IF_ERROR(CheckModelAddress(options_.config, options_.config.model));
  STILE_RETURN_IF_ERROR(CheckStoryModels(options_, story));
  STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Create(NewRunId(context_.clock->Now())));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  StoryOptions chosen = options;
  chosen.story_file = RealPath(story_file).value_or("");
  chosen.max_parallelism = Parallelism(options_.config, story, 0);
  // Stories that begin at the same time choose and make their branches one after the other.
  FileLock making;
  if (options.worktree) {
    const std::string lock_file = JoinPath(store_.state_dir(), "worktrees.lock");
    making = FileLock(lock_file, FileLock::Wait::kYes);
    chosen.worktrees_dir = store_.worktrees_dir();
    chosen.run_in = [this](const std::string& folder) { return StoryIn(store_, folder); };
    chosen.branch = BranchOf(story);
    if (story.branch.empty()) {
      chosen.branch = FreeBranch(runner_.get(), chosen.branch, workspace_, chosen);
    }
    chosen.on_place = [this, &making, lock_file] {
      if (making.held()) context_.file_system->RemoveFile(lock_file).IgnoreError();
      making = FileLock();
    };
  }
  Event opening;
  opening.seq = 1;
  opening.type = EventType::kRunStarted;
  opening.data = StoryStart(options_, story, text, story_file, workspace_, chosen);
  opening.data.update(GroundOf(story, chosen.branch, workspace_));
  return RunStoryFile(run, lock, story, workspace_, chosen, opening);
}

// The journal goes on under the same id: a step that was interrupted is continued, not repeated.
absl::StatusOr<StoryResult> BuiltAgent::ResumeStory(const RunPaths& run) {
  // Before anything is read: another process may be going on with it.
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  STILE_ASSIGN_OR_RETURN(StoryHistory history, ReadStoryHistory(store_, run, &secrets_));
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadStoryFile(history.story_file));
  const int next = history.StepToResume();
  if (Sha256Hex(text) != history.story_sha256) {
    return absl::FailedPreconditionError(
        absl::StrCat("the story ", history.story_file, " has changed since; `stile runs retry ",
                     run.id, " --step ", next, "` begins that step anew with the story as it is"));
  }
  STILE_ASSIGN_OR_RETURN(const Story story, ParseStory(text, history.story_file));
  story_model_ = history.model;
  story_base_url_ = history.base_url;
  STILE_RETURN_IF_ERROR(CheckModelAddress(options_.config, StoryModel()));
  if (history.finished) STILE_RETURN_IF_ERROR(PrepareToGoOn(context_, next, &history));
  // Before anything is done in the name of steps whose work is gone.
  STILE_RETURN_IF_ERROR(Recover(history.workspace));
  // Behind the last step the delivery looks, and takes back a commit that a hook has altered.
  if (next <= static_cast<int>(story.steps.size())) {
    STILE_RETURN_IF_ERROR(CheckStepsStand(Archive(), history, run.id, next));
  }
  STILE_RETURN_IF_ERROR(CheckExpectationsStand(Archive(), history, story, run.id, next));
  STILE_ASSIGN_OR_RETURN(
      StoryOptions options,
      OptionsToResume(Archive(), history, next, /*other_model=*/StoryModel() != history.model));
  options.max_parallelism = Parallelism(options_.config, story, history.options.max_parallelism);
  Event opening;
  opening.seq = history.last_seq + 1;
  opening.type = EventType::kRunResumed;
  opening.data = {{"turns", options.done_turns}, {"step", next}, {"workspace_changed", false}};
  return RunStoryFile(run, lock, story, history.workspace, options, opening);
}

absl::StatusOr<StoryResult> BuiltAgent::RetryStory(const std::string& run_id, int first_step) {
  STILE_RETURN_IF_ERROR(signing_key_.status());
  STILE_RETURN_IF_ERROR(CheckUntrusted(options_.config));
  STILE_ASSIGN_OR_RETURN(const RunPaths earlier, store_.Find(run_id));
  STILE_ASSIGN_OR_RETURN(const FileLock claim, ClaimFor(earlier));
  // Until the new run is over: nobody resumes what is taken back.
  STILE_ASSIGN_OR_RETURN(const RunLock earlier_lock, RunLock::Acquire(earlier));
  STILE_ASSIGN_OR_RETURN(const StoryHistory history, ReadStoryHistory(store_, earlier, &secrets_));
  if (!history.commit.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("story ", earlier.id, " is committed as ",
                                                      history.commit.substr(0, 12),
                                                      "; there is nothing left to retry"));
  }
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadStoryFile(history.story_file));
  STILE_ASSIGN_OR_RETURN(const Story story, ParseStory(text, history.story_file));
  STILE_RETURN_IF_ERROR(CheckCanRetry(history, story, first_step));
  story_model_ = history.model;
  story_base_url_ = history.base_url;
  STILE_RETURN_IF_ERROR(CheckModelAddress(options_.config, StoryModel()));
  STILE_RETURN_IF_ERROR(ResetSteps(Archive(), history, story, earlier.id, first_step));
  STILE_RETURN_IF_ERROR(
      WriteUndone(DiskFileSystem(), earlier, {context_.clock->Now(), true, UndoReport()}));
  StoryOptions options = history.OptionsFrom(first_step);
  options.story_file = RealPath(history.story_file).value_or("");
  options.earlier_run_ids.push_back(earlier.id);
  options.max_parallelism = Parallelism(options_.config, story, 0);
  STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> accepted,
                         AcceptedBefore(Archive(), history, first_step));
  for (const RecordedChange& change : accepted) options.done_changed.push_back(change.path);
  STILE_ASSIGN_OR_RETURN(const RunPaths run, store_.Create(NewRunId(context_.clock->Now())));
  STILE_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  Event opening;
  opening.seq = 1;
  opening.type = EventType::kRunStarted;
  opening.data = StoryStart(options_, story, text, history.story_file, history.workspace, options);
  opening.data.update(GroundOf(story, options.branch, history.workspace));
  if (options_.config.model.empty()) opening.data["model"] = history.model;
  if (options_.config.base_url.empty()) opening.data["base_url"] = history.base_url;
  opening.data["retry_of"] = earlier.id;
  return RunStoryFile(run, lock, story, history.workspace, options, opening);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Agent>> Agent::Create(AgentOptions options) {
  STILE_ASSIGN_OR_RETURN(std::string workspace, CompleteOptions(&options));
  STILE_ASSIGN_OR_RETURN(LanguageRegistry languages, LoadLanguages(options.config));
  return std::make_unique<BuiltAgent>(std::move(options), std::move(workspace),
                                      std::move(languages));
}

}  // namespace stile

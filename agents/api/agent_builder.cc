// Puts the concrete parts together behind agent.h.
#include <utility>

#include "agents/api/agent.h"
#include "agents/api/agent_body.h"
#include "agents/api/catalog.h"
#include "agents/api/external_session.h"
#include "agents/api/file_servers.h"
#include "agents/api/machine_status.h"
#include "agents/api/project_instructions.h"
#include "agents/api/run_plan.h"
#include "agents/api/run_resume.h"
#include "agents/api/session_context.h"
#include "agents/api/story_host.h"
#include "agents/api/tool_session.h"
#include "agents/api/toolbox.h"
#include "agents/api/untrusted.h"
#include "agents/api/verification.h"
#include "agents/api/workflow_files.h"
#include "agents/api/workflow_outcome.h"
#include "agents/api/workflow_session.h"
#include "agents/api/workspace_claim.h"
#include "agents/api/workspace_validation.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/certificate/signing_key.h"
#include "runtime/story/story_history.h"
#include "runtime/workspace/file_lock.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/builtin_validators.h"
#include "validators/integrity/changed_functions.h"
#include "validators/integrity/conditional_regions.h"
#include "validators/integrity/symbol_scopes.h"
#include "validators/integrity/tree_syntax_checker.h"
#include "validators/integrity/weakening_detector.h"

namespace stile {
namespace {

// One thing: it owns the parts of one agent, and implements what these ask of each other.
class BuiltAgent : public Agent {
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
    STILE_ASSIGN_OR_RETURN(const auto own, ContextForFile(context_, FileOfRun(store_, run)));
    if (summary.kind == "story") {
      STILE_ASSIGN_OR_RETURN(StoryResult story, StoryHost(&own->context, workspace_).Resume(run));
      return std::move(story.overall);
    }
    if (summary.kind == kVerificationKind) {
      STILE_ASSIGN_OR_RETURN(
          VerificationOutcome outcome,
          stile::ContinueVerification(MakeVerificationServices(context_), run, {}));
      return std::move(outcome.overall);
    }
    if (summary.kind == "workflow") {
      STILE_ASSIGN_OR_RETURN(WorkflowOutcome outcome,
                             ResumeWorkflow(MakeWorkflowServices(own->context), run));
      return std::move(outcome.overall);
    }
    const bool go_on = summary.outcome == "failed";
    return ContinueRun(own->context, run, go_on, options_.on_event);
  }

  absl::StatusOr<WorkflowOutcome> RunWorkflow(const std::string& file,
                                              const WorkflowRequest& request) override {
    STILE_RETURN_IF_ERROR(CheckCanBegin());
    STILE_ASSIGN_OR_RETURN(const FileLock claim, Claim());
    STILE_ASSIGN_OR_RETURN(const auto own, ContextForFile(context_, file));
    return StartWorkflow(MakeWorkflowServices(own->context), file, request);
  }

  absl::StatusOr<std::vector<WorkflowCaseResult>> TestWorkflow(
      const std::string& file, const std::string& filter,
      const std::function<void(const WorkflowCaseResult&)>& on_case) override {
    const auto tested = ReadWorkflowTests(file);
    STILE_ASSIGN_OR_RETURN(const auto own,
                           ContextForFile(context_, tested.ok() ? tested->path : ""));
    return PlayWorkflowTests(MakeWorkflowServices(own->context), file, filter, on_case);
  }

  absl::StatusOr<VerificationOutcome> Verify(const VerificationRequest& request) override {
    STILE_RETURN_IF_ERROR(CheckCanBegin());
    FileLock claim;
    if (request.fix) {
      STILE_ASSIGN_OR_RETURN(claim, Claim());
    }
    return StartVerification(MakeVerificationServices(context_), NewRunId(context_.clock->Now()),
                             request);
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
    return stile::ContinueVerification(MakeVerificationServices(context_), run, changes);
  }

  absl::StatusOr<StoryResult> RunStory(const std::string& story_file,
                                       const StoryOptions& options) override {
    STILE_RETURN_IF_ERROR(CheckCanBegin());
    FileLock claim;
    if (!options.worktree) {
      STILE_ASSIGN_OR_RETURN(claim, Claim());
    }
    STILE_ASSIGN_OR_RETURN(const auto own, ContextForFile(context_, story_file));
    return StoryHost(&own->context, workspace_).Run(story_file, options);
  }

  absl::StatusOr<StoryResult> RetryStory(const std::string& run_id, int first_step) override {
    STILE_RETURN_IF_ERROR(signing_key_.status());
    STILE_RETURN_IF_ERROR(CheckUntrusted(options_.config));
    STILE_ASSIGN_OR_RETURN(const RunPaths earlier, store_.Find(run_id));
    STILE_ASSIGN_OR_RETURN(const FileLock claim, ClaimFor(earlier));
    STILE_ASSIGN_OR_RETURN(const auto own, ContextForFile(context_, FileOfRun(store_, earlier)));
    return StoryHost(&own->context, workspace_).Retry(earlier, first_step);
  }

  absl::StatusOr<ValidationReport> Validate(const ValidateArguments& arguments) override {
    return ValidateWorkspace(context_, workspace_, arguments);
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

  // `context` is not owned.
  WorkflowServices MakeWorkflowServices(const SessionContext& context) {
    return {
        &context,
        workspace_,
        "",
        "",
        [&context](const std::string& run_id, const AgentTask& task, const EventSink& sink) {
          return RunAgent(context, run_id, task, sink);
        },
        [this, &context](const std::string& name, const Json& arguments, const ValidationLog& log) {
          return ToolSession(&context, workspace_).Use(name, arguments, log);
        },
        [this, &context](const std::string& run_id, const VerificationRequest& request,
                         const AgentTask& settings, const EventSink& sink) {
          return VerifyAsStep(MakeVerificationServices(context), run_id, request, settings, sink);
        }};
  }

  VerificationServices MakeVerificationServices(const SessionContext& context) {
    VerificationServices services;
    services.context = &context;
    services.workspace = workspace_;
    services.run_agent = [&context](const std::string& run_id, const AgentTask& task,
                                    const EventSink& sink) {
      return RunAgent(context, run_id, task, sink);
    };
    services.validate = [this, &context]() -> absl::StatusOr<bool> {
      STILE_ASSIGN_OR_RETURN(const ValidationReport report,
                             ValidateWorkspace(context, workspace_, {}));
      return report.verdict == Verdict::kPass && !report.targets.empty();
    };
    services.on_event = options_.on_event;
    return services;
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
  // Loaded once: what a run puts in its place signs nothing. An error ends runs before they begin.
  const absl::StatusOr<std::optional<Ed25519PrivateKey>> signing_key_;
  const SessionContext context_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Agent>> Agent::Create(AgentOptions options) {
  STILE_ASSIGN_OR_RETURN(std::string workspace, CompleteOptions(&options));
  STILE_ASSIGN_OR_RETURN(LanguageRegistry languages, LoadLanguages(options.config));
  return std::make_unique<BuiltAgent>(std::move(options), std::move(workspace),
                                      std::move(languages));
}

}  // namespace stile

// Start here. Everything needed to run a gated coding agent from another program:
//
//   stile::AgentOptions options;
//   options.workspace = "/path/to/project";
//   options.config.model = "anthropic:claude-sonnet-4-5";
//   auto agent = stile::Agent::Create(options);
//   if (!agent.ok()) …
//   auto result = (*agent)->Run({.text = "Rename OrderService to PurchaseService"});
//   if (result.ok() && result->ok()) …   // the changed code has been built
//
// Link the CMake target stile_api.
#ifndef STILE_AGENTS_API_AGENT_H_
#define STILE_AGENTS_API_AGENT_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/config.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/json.h"

namespace stile {

// Complete in the header behind each: include those whose values are used.
class Cancellation;          // runtime/base/cancellation.h
struct Event;                // runtime/event/event.h
struct ExternalWork;         // runtime/session/external_body.h
struct GatedProgram;         // runtime/session/program_body.h
struct SessionStatus;        // agents/api/open_session.h
struct StoryOptions;         // runtime/story/story_runner.h
struct StoryResult;          // the same
struct ToolResult;           // runtime/tool/tool.h
struct ToolSpec;             // the same
struct VerificationRequest;  // agents/api/verification_outcome.h
struct VerificationChanges;  // the same
struct VerificationOutcome;  // the same
struct ValidateArguments;    // runtime/validation/validation_service.h
struct ValidationReport;     // the same
class Toolbox;               // agents/api/toolbox.h
struct WorkflowCaseResult;   // runtime/workflow/workflow_tests.h
struct WorkflowOutcome;      // agents/api/workflow_outcome.h
struct LanguageStatus;       // agents/api/language_status.h
struct InstructionSource;    // agents/api/project_instructions.h

struct AgentOptions {
  std::string workspace;    // existing folder
  Config config;            // LoadConfig, or filled in by hand; config.model is required to run
  std::string state_dir;    // "" : see RunStore
  Environment environment;  // keys, PATH, HOME; empty: this process's
  std::string record_file;  // "" : no cassette is written
  bool replay_strict = false;
  std::function<void(const Event&)>
      on_event;  // every event, one at a time; not always on the thread of Run; may be empty
  // Rules of folders above the workspace, besides those of the configuration.
  std::vector<OuterPermissions> outer_permissions;
  PermissionPrompt on_ask;  // asks a person; empty: "ask" means deny
  // Asks a person for a field of a form of an MCP server, on the thread of the run; may block.
  // nullopt: no answer. An empty function declines all forms.
  std::function<std::optional<std::string>(const std::string& question)> on_form;
  // Asks the model of the program that embeds Stile, for models named "sampling:".
  Sampling sampling;
  // Asks a person what a workflow wants to know; nullopt: no answer. Empty: there is nobody.
  std::function<std::optional<std::string>(const std::string& question)> on_question;
  const Cancellation* cancellation = nullptr;  // not owned; may be null
  // FailedPrecondition, and nothing is begun, while another run works in the workspace. Without it
  // runs may share one; each then takes the other's changes for its own.
  bool alone = false;
};

struct Task {
  std::string text;
  std::string context;  // further text for the model: files, earlier results; may be empty
  std::vector<std::string> images;  // files of pictures for the model
  std::string run_id;  // "" : a new one. A finished run of this id returns its stored result
  // Of the request that the task comes from; "": none. AlreadyExists when the run of that id came
  // from another request.
  std::string request_sha256;
};

struct WorkflowRequest {
  Json inputs = Json::object();  // by name
  std::string event = "manual";  // see WorkflowStep::events
  // FailedPrecondition, and nothing is begun, while the workspace has uncommitted changes, or is in
  // no git repository with a commit.
  bool needs_clean_tree = false;
};

// Not thread-safe; different agents may run at once, also in one workspace if they must.
class Agent {
 public:
  // InvalidArgument: unusable options, with what to change. Nothing is started yet.
  static absl::StatusOr<std::unique_ptr<Agent>> Create(AgentOptions options);
  virtual ~Agent() = default;

  // One gated run from task to outcome. A run that fails is a result; a status means that it could
  // not begin (configuration, workspace, model settings).
  virtual absl::StatusOr<RunResult> Run(const Task& task) = 0;

  // A gated run whose work is done by another program, such as another agent; see ProgramBody. No
  // model is asked. Errors as Run.
  virtual absl::StatusOr<RunResult> RunProgram(const GatedProgram& program) = 0;

  // A session in which programs and people that Stile does not start change the files: it stays
  // open, also when this process ends. Gives its id. Errors as Run.
  virtual absl::StatusOr<std::string> OpenSession(const ExternalWork& work) = 0;
  // Asks the gate to accept what changed since the session (by id) was opened. After a refusal
  // (RunResult::stays_open) it can be asked again; refusal number gate.max_failures ends it.
  // `give_up`: ends the session as failed, without asking. FailedPrecondition: another process
  // works on it, it was undone, or it is judged by other rules now.
  virtual absl::StatusOr<RunResult> FinishSession(const std::string& id, bool give_up) = 0;
  // What changed, and what the gate still wants. Runs no validator. FailedPrecondition: the session
  // is not open, or another process works on it.
  virtual absl::StatusOr<SessionStatus> LookAtSession(const std::string& id) = 0;

  // Goes on with a run, story or workflow (by id or prefix) that was interrupted or ended without
  // success, without asking the model again for turns it already gave. What it used counts on; what
  // counts in a row begins again at 0. FailedPrecondition when the run succeeded or was undone,
  // when a limit is used up and not raised, or when another process works on it.
  virtual absl::StatusOr<RunResult> Resume(const std::string& run_id) = 0;

  // A story on its branch; see StoryRunner. `story_file` is read for resume and messages.
  virtual absl::StatusOr<StoryResult> RunStory(const std::string& story_file,
                                               const StoryOptions& options) = 0;
  // Resets step `first_step` of an earlier story run and goes on from there with fresh context.
  virtual absl::StatusOr<StoryResult> RetryStory(const std::string& run_id, int first_step) = 0;

  // A workflow from its file; its steps run in the workspace. A run that fails is a result;
  // InvalidArgument when the file, or what its steps need, cannot be had.
  virtual absl::StatusOr<WorkflowOutcome> RunWorkflow(const std::string& file,
                                                      const WorkflowRequest& request) = 0;

  // The cases of a file of workflow tests (runtime/workflow/workflow_tests.h), or of those whose
  // name holds `filter`. Steps without a mock run in the workspace. `on_case` is told each; may be
  // empty.
  virtual absl::StatusOr<std::vector<WorkflowCaseResult>> TestWorkflow(
      const std::string& file, const std::string& filter,
      const std::function<void(const WorkflowCaseResult&)>& on_case) = 0;

  // A verifier raises issues of the code, and a critic judges them, until nothing more comes. Reads
  // the workspace; changes it only if the request says `fix`. One that does not converge is a
  // result. InvalidArgument: targets or options that cannot be used.
  virtual absl::StatusOr<VerificationOutcome> Verify(const VerificationRequest& request) = 0;
  // Goes on with one (by id or prefix) that was interrupted or has not converged.
  // FailedPrecondition: another process works on it, it converged, or no rounds are left.
  virtual absl::StatusOr<VerificationOutcome> ContinueVerification(
      const std::string& run_id, const VerificationChanges& changes) = 0;

  // Judges the workspace as it stands: every target, or those that `arguments` name. No run, no
  // model.
  virtual absl::StatusOr<ValidationReport> Validate(const ValidateArguments& arguments) = 0;

  // What this machine can validate, for every level of every language, or of the one with the id
  // `only`. Each validator starts its program to ask for its version.
  virtual std::vector<LanguageStatus> Languages(const std::string& only = "") = 0;
  // The programs that can resolve names (tools/resolve), whether this machine has them or not.
  struct ResolverStatus {
    std::string name;                    // "gopls"
    std::vector<std::string> languages;  // ids
    std::string program;                 // absolute; "": not found
    std::string install_hint;
  };
  virtual std::vector<ResolverStatus> Resolvers() = 0;
  // Whether commands would run in a sandbox here: "bubblewrap 0.8.0", "off" or "none: WHY".
  struct SandboxStatus {
    bool active = false;
    std::string description;
    std::string limits;  // of one command and how they are held; "" without a sandbox
    // Why Stile cannot observe which files validators open; certificates then say
    // `inputs: listed`. "" when it can.
    std::string unobserved;
  };
  virtual absl::StatusOr<SandboxStatus> Sandbox() = 0;
  // The instructions for agents that the workspace has, whether or not the configuration uses them.
  virtual std::vector<InstructionSource> Instructions() = 0;
  // The tools as models see them.
  virtual std::vector<ToolSpec> Tools() = 0;
  // Runs a tool that looks at code or changes it by meaning (code.*, but code.validate) on the
  // workspace as it stands. No run, no model. InvalidArgument for other tools and for arguments
  // that do not fit.
  virtual absl::StatusOr<ToolResult> AskTool(const std::string& name, const Json& arguments) = 0;
  // The tools for a caller that Stile does not run. The agent must outlive it. AgentOptions::on_ask
  // may be called on any thread that uses the tools.
  virtual std::unique_ptr<Toolbox> OpenToolbox() = 0;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_AGENT_H_

// The work of a workflow's steps, done with what the services has: gated runs, sandboxed commands,
// tools, HTTP.
#ifndef STILE_AGENTS_API_WORKFLOW_STEPS_H_
#define STILE_AGENTS_API_WORKFLOW_STEPS_H_

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "agents/api/mcp_steps.h"
#include "agents/api/step_log.h"
#include "agents/api/workflow_services.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/session/command_run.h"
#include "runtime/workflow/step_executor.h"

namespace stile {

// One thing: what the steps of one workflow do, one method per type of step.
class WorkflowSteps : public StepExecutor {
 public:
  // `run_id`: agents run as "<run_id>.<number of the call>". `folder`: what `file` of nested
  // workflows is relative to. `run`: its folder; without an id the steps are those of a test, and
  // leave nothing behind. `events` gets those of agents; may be null. Nothing is owned.
  WorkflowSteps(const WorkflowServices* services, std::string run_id, std::string folder,
                const RunPaths& run, EventStream* events)
      : services_(*services),
        run_id_(std::move(run_id)),
        folder_(std::move(folder)),
        artifacts_(run.artifacts),
        logs_(run.logs),
        is_test_(run.id.empty()),
        events_(events),
        mcp_(services->context, services->workspace, [this] { return Sandbox(); }) {}

  // Calls of these numbers go on where their runs ended without success. To be called before the
  // first Execute.
  void GoOnWith(std::set<std::string> numbers) { go_on_ = std::move(numbers); }

  // Commands may say `network: packages` or `cached`: the workflow came with Stile. To be called
  // before the first Execute.
  void LetFetchPackages() { may_fetch_packages_ = true; }

  absl::StatusOr<StepReply> Execute(const StepCall& call,
                                    const Cancellation* cancellation) override;
  absl::StatusOr<Workflow> LoadWorkflow(const std::string& file) override;

 private:
  // Opened when the first command wants it.
  absl::StatusOr<RunSandbox*> Sandbox();
  // What agents and verifications of the call have in common, and where their events go.
  AgentTask TaskFor(const StepCall& call) const;
  EventSink SinkFor(const StepCall& call) const;
  absl::StatusOr<StepReply> RunAgent(const StepCall& call);
  absl::StatusOr<StepReply> Verify(const StepCall& call);
  absl::StatusOr<StepReply> RunCommand(const StepCall& call, const Cancellation* cancellation);
  absl::StatusOr<StepReply> RunProcess(const StepCall& call, RunSandbox* sandbox,
                                       ProcessRequest request);
  // Where a command runs, by its `network`. InvalidArgument for a word that it does not know.
  absl::StatusOr<ProcessRunner*> RunnerFor(const StepCall& call, RunSandbox* sandbox,
                                           ProcessRequest* request) const;
  absl::StatusOr<StepReply> RunOrRecall(const StepCall& call, const Cancellation* cancellation);
  // Of the call's workflow: nested ones have folders of their own. Made if missing.
  absl::StatusOr<std::string> ArtifactsOf(const StepCall& call);
  absl::StatusOr<std::string> FolderOf(const std::string& folder, const StepCall& call);
  // Null: the step wants none.
  absl::StatusOr<std::unique_ptr<StepLog>> LogOf(const StepCall& call);
  void EndLog(const StepCall& call, const StepLog& log);
  // For programs that a repository names.
  ProgramWrapper Programs();
  // What the command of the call sees, but for the variables that tell of the run.
  Environment EnvironmentOf(const StepCall& call) const;
  // What the reply to the call depends on, as far as it is known: content of the workspace,
  // programs and files that the command names, the step's settings, EnvironmentOf.
  absl::StatusOr<std::string> CacheKey(const StepCall& call);
  absl::StatusOr<StepReply> UseTool(const StepCall& call);
  // Does the call and records what it changes in the workspace; the paths become those of the
  // reply. `task`: for people.
  absl::StatusOr<StepReply> Recorded(const StepCall& call, const std::string& task,
                                     const std::function<absl::StatusOr<StepReply>()>& perform);
  void Warn(const StepCall& call, absl::string_view text);
  absl::StatusOr<StepReply> Ask(const StepCall& call);

  const WorkflowServices& services_;
  const std::string run_id_;
  const std::string folder_;
  std::string artifacts_;  // guarded by mutex_ until Sandbox() has been called
  std::string logs_;       // the same
  const bool is_test_;
  EventStream* const events_;
  std::set<std::string> go_on_;
  bool may_fetch_packages_ = false;
  std::mutex mutex_;
  std::unique_ptr<RunSandbox> sandbox_;  // guarded by mutex_
  // Of commands, one each: what one leaves in its home, no other one reads.
  std::unique_ptr<ScratchFolder> homes_;  // guarded by mutex_
  CommandGround ground_;                  // as the last command found it; guarded by mutex_
  McpSteps mcp_;                          // its programs end before the sandbox does
};

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_STEPS_H_

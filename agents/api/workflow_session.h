// One run of a workflow from its folder to its result.
#ifndef STILE_AGENTS_API_WORKFLOW_SESSION_H_
#define STILE_AGENTS_API_WORKFLOW_SESSION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/run_plan.h"
#include "agents/api/session_context.h"
#include "agents/api/verification_outcome.h"
#include "agents/api/workflow_outcome.h"
#include "runtime/workflow/workflow.h"
#include "runtime/workflow/workflow_tests.h"

namespace stile {

// What workflows need of the agent. Nothing is owned.
struct WorkflowServices {
  const SessionContext* context = nullptr;
  std::string workspace;  // absolute, no symlinks
  // What the run began with, for agents where the options choose none.
  std::string model;
  std::string base_url;
  // A gated run; one of that id that was interrupted goes on.
  std::function<absl::StatusOr<RunResult>(const std::string& run_id, const AgentTask& task,
                                          const EventSink& sink)>
      run_agent;
  std::function<absl::StatusOr<ToolResult>(const std::string& name, const Json& arguments,
                                           const ValidationLog& log)>
      use_tool;
  // A verification under the id; one of that id that was interrupted goes on.
  std::function<absl::StatusOr<VerificationOutcome>(
      const std::string& run_id, const VerificationRequest& request, const AgentTask& settings,
      const EventSink& sink)>
      verify;
};

// InvalidArgument when a step could not run at all: no model, no such profile. A line for each
// reason, with the steps.
absl::Status CheckNeeds(const WorkflowServices& services, const Workflow& workflow);

absl::StatusOr<WorkflowOutcome> StartWorkflow(const WorkflowServices& services,
                                              const std::string& file,
                                              const WorkflowRequest& request);
// FailedPrecondition when the file has changed since.
absl::StatusOr<WorkflowOutcome> ResumeWorkflow(WorkflowServices services, const RunPaths& run);

// See Agent::TestWorkflow.
absl::StatusOr<std::vector<WorkflowCaseResult>> PlayWorkflowTests(
    const WorkflowServices& services, const std::string& file, const std::string& filter,
    const std::function<void(const WorkflowCaseResult&)>& on_case);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_SESSION_H_

// One run of a workflow from its folder to its result.
#ifndef STILE_AGENTS_API_WORKFLOW_SESSION_H_
#define STILE_AGENTS_API_WORKFLOW_SESSION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/run_session.h"

namespace stile {

// What workflows need of the agent. Nothing is owned.
struct WorkflowHouse {
  const SessionContext* context = nullptr;
  std::string workspace;  // absolute, no symlinks
  // What the run began with, for agents where the options choose none.
  std::string model;
  std::string base_url;
  // A gated run; one of that id that was interrupted goes on.
  std::function<absl::StatusOr<RunResult>(const std::string& run_id, const SessionTask& task,
                                          const EventSink& sink)>
      run_agent;
  std::function<absl::StatusOr<ToolResult>(const std::string& name, const Json& arguments,
                                           const ValidationLog& log)>
      use_tool;
};

// The workflow in `file`, or of a name behind kBuiltinPrefix, with the place of what is wrong in
// it.
absl::StatusOr<Workflow> ReadWorkflow(const std::string& file);

// The file of a workflow that a file in `folder` names: names may be relative to the folder.
std::string WorkflowBeside(const std::string& folder, const std::string& name);

// A warning with file and line for each profile and each nested workflow that a step of the
// workflow in `file` names and that cannot be read. Names with templates are left out.
std::vector<std::string> MissingParts(const Workflow& workflow, const std::string& file);

// A file of tests, and the workflow that it names: itself, where it names none.
struct TestedWorkflow {
  std::string path;  // of the workflow
  Workflow workflow;
  WorkflowTests tests;
};
absl::StatusOr<TestedWorkflow> ReadWorkflowTests(const std::string& file);

// InvalidArgument when a step could not run at all: no model, no such profile, no such tool.
absl::Status CheckNeeds(const WorkflowHouse& house, const Workflow& workflow);

absl::StatusOr<WorkflowOutcome> StartWorkflow(const WorkflowHouse& house, const std::string& file,
                                              const WorkflowRequest& request);
// FailedPrecondition when the file has changed since.
absl::StatusOr<WorkflowOutcome> ResumeWorkflow(WorkflowHouse house, const RunPaths& run);

// See Agent::TestWorkflow.
absl::StatusOr<std::vector<WorkflowCaseResult>> PlayWorkflowTests(
    const WorkflowHouse& house, const std::string& file, const std::string& filter,
    const std::function<void(const WorkflowCaseResult&)>& on_case);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_SESSION_H_

// One run of a workflow from its folder to its result.
#ifndef STILE_AGENTS_API_WORKFLOW_SESSION_H_
#define STILE_AGENTS_API_WORKFLOW_SESSION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/workflow_outcome.h"
#include "agents/api/workflow_services.h"
#include "runtime/workflow/workflow.h"
#include "runtime/workflow/workflow_tests.h"

namespace stile {

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

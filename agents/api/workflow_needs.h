// Whether the steps of a workflow could run.
#ifndef STILE_AGENTS_API_WORKFLOW_NEEDS_H_
#define STILE_AGENTS_API_WORKFLOW_NEEDS_H_

#include "absl/status/status.h"
#include "agents/api/workflow_services.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// InvalidArgument when a step could not run at all: no model, no such profile. A line for each
// reason, with the steps.
absl::Status CheckNeeds(const WorkflowServices& services, const Workflow& workflow);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_NEEDS_H_

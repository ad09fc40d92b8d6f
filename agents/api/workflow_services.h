// What the steps of workflows get from the agent that runs them.
#ifndef STILE_AGENTS_API_WORKFLOW_SERVICES_H_
#define STILE_AGENTS_API_WORKFLOW_SERVICES_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/run_plan.h"
#include "agents/api/session_context.h"
#include "agents/api/verification_outcome.h"

namespace stile {

// Nothing is owned.
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

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_SERVICES_H_

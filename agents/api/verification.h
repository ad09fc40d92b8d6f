// A verification from its folder to its result.
#ifndef STILE_AGENTS_API_VERIFICATION_H_
#define STILE_AGENTS_API_VERIFICATION_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "agents/api/run_plan.h"
#include "agents/api/session_context.h"
#include "agents/api/verification_outcome.h"

namespace stile {

// Services that a verification takes from the agent. Nothing is owned.
struct VerificationServices {
  const SessionContext* context = nullptr;
  std::string workspace;  // absolute, no symlinks
  // Of the workflow step, used if AgentOptions names no model; "": unset.
  std::string model;
  std::string base_url;
  CassetteTurns turns_before;  // see AgentTask
  std::string cassette_step;
  // A gated run, as in WorkflowServices.
  std::function<absl::StatusOr<RunResult>(const std::string& run_id, const AgentTask& task,
                                          const EventSink& sink)>
      run_agent;
  // Judges the workspace as it stands; false: something failed, or nothing was judged.
  std::function<absl::StatusOr<bool>()> validate;
  EventSink on_event;  // may be empty
};

// Begins under `run_id`. Blocks until the end. A verification that fails is a result; a status
// means that it could not begin. InvalidArgument: targets, options, no model.
absl::StatusOr<VerificationOutcome> StartVerification(const VerificationServices& services,
                                                      const std::string& run_id,
                                                      const VerificationRequest& request);

// Goes on with one that was interrupted or has not converged. Issues whose code has changed since
// are closed if the workspace passes its validation. FailedPrecondition: another process works on
// it, or no rounds are left.
absl::StatusOr<VerificationOutcome> ContinueVerification(const VerificationServices& services,
                                                         const RunPaths& run,
                                                         const VerificationChanges& changes);

// For a step of a workflow: begins under `run_id`, or goes on with that run. `settings`: model and
// cassette of the step.
absl::StatusOr<VerificationOutcome> VerifyAsStep(VerificationServices services,
                                                 const std::string& run_id,
                                                 const VerificationRequest& request,
                                                 const AgentTask& settings, const EventSink& sink);

// The state as the last reply left it, also while a process works on it. NotFound: the run is no
// verification.
absl::StatusOr<VerifyState> ReadVerification(const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_VERIFICATION_H_

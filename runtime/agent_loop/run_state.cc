#include "runtime/agent_loop/run_state.h"

namespace stile {

const std::vector<RunTransition>& RunTransitions() {
  using S = RunState;
  using T = RunTrigger;
  static const auto* table = new std::vector<RunTransition>{
      {S::kReady, T::kStart, S::kThinking},
      {S::kThinking, T::kToolCall, S::kActing},
      {S::kThinking, T::kUnparsable, S::kObserving},
      {S::kThinking, T::kFinish, S::kFinishing},
      {S::kActing, T::kValidate, S::kValidating},
      {S::kActing, T::kObserved, S::kObserving},
      {S::kObserving, T::kToolCall, S::kActing},
      {S::kObserving, T::kFinish, S::kFinishing},
      {S::kObserving, T::kAskModel, S::kThinking},
      {S::kFinishing, T::kValidate, S::kValidating},
      {S::kFinishing, T::kObserved, S::kObserving},
      {S::kFinishing, T::kAccept, S::kSucceeded},
      {S::kFinishing, T::kAcceptUnchanged, S::kUnchanged},
      {S::kFinishing, T::kAcceptUngated, S::kUngated},
      {S::kValidating, T::kObserved, S::kObserving},
      {S::kValidating, T::kFinish, S::kFinishing},  // validations of a finish are done: judge again
      {S::kReady, T::kFail, S::kFailed},
      {S::kThinking, T::kFail, S::kFailed},
      {S::kActing, T::kFail, S::kFailed},
      {S::kValidating, T::kFail, S::kFailed},
      {S::kObserving, T::kFail, S::kFailed},
      {S::kFinishing, T::kFail, S::kFailed},
  };
  return *table;
}

std::optional<RunState> NextRunState(RunState from, RunTrigger trigger) {
  for (const RunTransition& row : RunTransitions()) {
    if (row.from == from && row.trigger == trigger) return row.to;
  }
  return std::nullopt;
}

bool IsTerminal(RunState state) {
  switch (state) {
    case RunState::kReady:
    case RunState::kThinking:
    case RunState::kActing:
    case RunState::kValidating:
    case RunState::kObserving:
    case RunState::kFinishing:
      return false;
    case RunState::kSucceeded:
    case RunState::kUnchanged:
    case RunState::kUngated:
    case RunState::kFailed:
      return true;
  }
  return true;
}

absl::string_view RunStateName(RunState state) {
  switch (state) {
    case RunState::kReady:
      return "ready";
    case RunState::kThinking:
      return "thinking";
    case RunState::kActing:
      return "acting";
    case RunState::kValidating:
      return "validating";
    case RunState::kObserving:
      return "observing";
    case RunState::kFinishing:
      return "finishing";
    case RunState::kSucceeded:
      return "succeeded";
    case RunState::kUnchanged:
      return "unchanged";
    case RunState::kUngated:
      return "ungated";
    case RunState::kFailed:
      return "failed";
  }
  return "";
}

absl::string_view StopReasonName(StopReason reason) {
  switch (reason) {
    case StopReason::kNone:
      return "";
    case StopReason::kGateFailed:
      return "gate_failed";
    case StopReason::kInfraError:
      return "infra_error";
    case StopReason::kMaxTurns:
      return "max_turns";
    case StopReason::kTokenBudget:
      return "token_budget";
    case StopReason::kCostBudget:
      return "cost_budget";
    case StopReason::kWallTime:
      return "wall_time";
    case StopReason::kRepetition:
      return "repetition";
    case StopReason::kUnparsable:
      return "unparsable";
    case StopReason::kModelError:
      return "model_error";
    case StopReason::kGaveUp:
      return "gave_up";
    case StopReason::kInternal:
      return "internal";
    case StopReason::kCancelled:
      return "cancelled";
    case StopReason::kExpectationsUnmet:
      return "expectations_unmet";
    case StopReason::kStepFailed:
      return "step_failed";
    case StopReason::kLoopBudget:
      return "loop_budget_exceeded";
    case StopReason::kNotConverged:
      return "not_converged";
    case StopReason::kRefused:
      return "refused";
  }
  return "";
}

int ExitCodeOf(RunState terminal, StopReason reason) {
  if (terminal != RunState::kFailed) return 0;
  switch (reason) {
    case StopReason::kNone:
    case StopReason::kGaveUp:
    case StopReason::kExpectationsUnmet:
    case StopReason::kStepFailed:
    case StopReason::kNotConverged:
      return 1;
    case StopReason::kRefused:
      return 2;
    case StopReason::kGateFailed:
      return 3;
    case StopReason::kMaxTurns:
    case StopReason::kTokenBudget:
    case StopReason::kCostBudget:
    case StopReason::kWallTime:
    case StopReason::kRepetition:
    case StopReason::kLoopBudget:
      return 4;
    case StopReason::kUnparsable:
    case StopReason::kModelError:
      return 5;
    case StopReason::kInfraError:
    case StopReason::kInternal:
      return 6;
    case StopReason::kCancelled:
      return 130;
  }
  return 6;
}

}  // namespace stile

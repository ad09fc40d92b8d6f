// The states of a run and every way between them, as data. The executor moves only along this
// table; tests walk every path of it.
#ifndef STILE_RUNTIME_AGENT_LOOP_RUN_STATE_H_
#define STILE_RUNTIME_AGENT_LOOP_RUN_STATE_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

enum class RunState {
  kReady,       // nothing asked yet
  kThinking,    // the model has the word
  kActing,      // one tool call is running
  kValidating,  // validators are running
  kObserving,   // a result goes into the conversation
  kFinishing,   // the gate judges a finish
  kSucceeded,   // accepted, content changed and validated
  kUnchanged,   // accepted, nothing differs from the start
  kUngated,     // accepted because gate.mode is observe
  kFailed,
};

// What moves a run from state to state.
enum class RunTrigger {
  kStart,
  kToolCall,    // the next call of a reply
  kUnparsable,  // the reply fits no form
  kValidate,    // validators start: code.validate, or on_finish: validate
  kObserved,    // a result (of a call, a validation, a rejection) is at hand
  kAskModel,    // all calls of the reply are answered
  kFinish,      // finish, after the other calls of its reply
  kAccept,      // the gate accepts: content changed
  kAcceptUnchanged,
  kAcceptUngated,
  kFail,  // any limit or error; the reason is kept beside
};

struct RunTransition {
  RunState from;
  RunTrigger trigger;
  RunState to;
};

const std::vector<RunTransition>& RunTransitions();
// nullopt: not allowed.
std::optional<RunState> NextRunState(RunState from, RunTrigger trigger);
bool IsTerminal(RunState state);
absl::string_view RunStateName(RunState state);  // "ready", …

// Why a run failed.
enum class StopReason {
  kNone,
  kGateFailed,
  kInfraError,
  kMaxTurns,
  kTokenBudget,
  kCostBudget,
  kWallTime,
  kRepetition,
  kUnparsable,
  kModelError,
  kGaveUp,
  kInternal,
  kCancelled,
  kExpectationsUnmet,  // a story step's `expect`
  kStepFailed,         // of a workflow
  kLoopBudget,         // a workflow's routing
  kNotConverged,       // a verification ended with open issues, or with code not looked at
  kRefused,            // a request or configuration that cannot be used: nothing ran
};
absl::string_view StopReasonName(StopReason reason);  // "", "gate_failed", …

// The process exit code for the end of a run (docs/runs.md, "Exit codes").
int ExitCodeOf(RunState terminal, StopReason reason);

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_RUN_STATE_H_

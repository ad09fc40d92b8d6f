// How sessions end in which no agent speaks to the gate.
#ifndef STILE_RUNTIME_SESSION_SESSION_FINISH_H_
#define STILE_RUNTIME_SESSION_SESSION_FINISH_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "runtime/session/session_body.h"

namespace stile {

// For SessionBody::AdaptGate: AskToFinish validates, and refusals name no tool.
void JudgeWithoutTools(GateSettings* settings);

// Runs the validations that the gate wants, and asks it to finish. nullopt: that ends the session,
// and `end` says how: accepted, too many failures, cancelled, or broken. Otherwise the gate's
// refusal, with the last report: what has to change. Blocks while validators run.
std::optional<std::string> AskToFinish(const SessionView& session, SessionEnd* end);

// Ends the session as failed.
void FailSession(StopReason reason, std::string message, RunResult* result);
// Ends it as failed because of an error of our own machinery, a cancellation, or the time limit.
void FailSession(const absl::Status& status, const SessionView& session, RunResult* result);

// What the gate knows of the session, and the time since `start` of the session's clock.
void AddFigures(const SessionView& session, absl::Duration start, RunResult* result);

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_SESSION_FINISH_H_

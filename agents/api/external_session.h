// How open sessions (open_session.h) are found, looked at, and end.
#ifndef STILE_AGENTS_API_EXTERNAL_SESSION_H_
#define STILE_AGENTS_API_EXTERNAL_SESSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/open_session.h"
#include "agents/api/session_context.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/event/event.h"
#include "runtime/journal/run_store.h"

namespace stile {

// The open sessions, the newest first. `folder` (absolute): those whose workspace it is, or lies
// above it; "": all.
absl::StatusOr<std::vector<OpenSession>> ListOpenSessions(const RunStore& store,
                                                          const std::string& folder);

// Asks the gate to accept the session, or ends it as given up. The result of a refusal says who
// else changed files there, as far as runs tell. Blocks while validators run. FailedPrecondition:
// the session has ended without success, or is judged by other rules now.
absl::StatusOr<RunResult> FinishExternal(const SessionContext& context, const RunPaths& run,
                                         bool give_up, const EventSink& sink);

// Runs no validator. FailedPrecondition: the session is not open, or a process works on it.
absl::StatusOr<SessionStatus> LookAtExternal(const SessionContext& context, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_EXTERNAL_SESSION_H_

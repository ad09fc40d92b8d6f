// One session from its folder to its result: sandbox, gate, journal and certificate around a body,
// which alone changes files.
#ifndef STILE_RUNTIME_SESSION_GATED_SESSION_H_
#define STILE_RUNTIME_SESSION_GATED_SESSION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/agent_loop/run_history.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate_settings.h"
#include "runtime/journal/run_store.h"
#include "runtime/session/session_body.h"
#include "runtime/session/session_services.h"

namespace stile {

struct SessionRequest {
  std::string run_id;
  std::string workspace;         // absolute, no symlinks
  GateSettings gate;             // the user's
  std::vector<Allowance> allow;  // what the task lets the session weaken beside those
  // A hash of everything by which the session is judged: it goes on under the same rules only.
  std::string rules_sha256;
  std::vector<std::string> untrusted;  // see RunResult::untrusted
  std::vector<std::string> warnings;   // become log events at its beginning
  // The uncommitted files that the certificate's tree holds besides those that the session changes,
  // relative to the workspace; nullopt: all.
  std::optional<std::vector<std::string>> delivered;
  EventSink on_event;  // may be empty
};

// Blocks until the body is done. A session that fails is a result. A status means that it could not
// begin; nothing of it is left then.
absl::StatusOr<RunResult> StartSession(const SessionServices& services,
                                       const SessionRequest& request, SessionBody* body);

// A session that began in this process or in another one, locked until the object is gone.
struct PastSession {
  RunPaths run;
  RunLock lock;
  RunHistory history;
  Event last;  // in the journal

  bool ended_with_success() const;
};

// FailedPrecondition while another process works on it; DataLoss: a damaged journal.
absl::StatusOr<PastSession> OpenPastSession(const SessionServices& services, const RunPaths& run);

// The result of a session that is over; gives its run_finished to `on_event`, which may be empty.
absl::StatusOr<RunResult> StoredResult(const SessionServices& services, const PastSession& past,
                                       const EventSink& on_event);

// Goes on with a session that was interrupted or ended without success. FailedPrecondition: it is
// judged by other rules now, or the limit that it used up is not raised. Blocks as StartSession.
absl::StatusOr<RunResult> ContinueSession(const SessionServices& services,
                                          const SessionRequest& request, PastSession past,
                                          SessionBody* body);

// Whether ContinueSession would go on, or the session has succeeded. Takes no lock.
absl::Status CheckCanContinue(const RunPaths& run, const std::string& rules_sha256,
                              const SessionBody& body);

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_GATED_SESSION_H_

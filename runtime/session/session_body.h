// What changes files within a session: the only part in which sessions differ.
#ifndef STILE_RUNTIME_SESSION_SESSION_BODY_H_
#define STILE_RUNTIME_SESSION_SESSION_BODY_H_

#include <optional>

#include "absl/status/status.h"
#include "runtime/agent_loop/run_history.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/deadline.h"
#include "runtime/base/json.h"
#include "runtime/event/event.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/run_store.h"
#include "runtime/model/chat_model.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/session/session_services.h"

namespace stile {

// A session at work, as its body sees it. Nothing is owned.
struct SessionView {
  const SessionServices& services;
  const RunPaths& run;
  GatedWorkspace* workspace;
  EventStream* events;
  JournalWriter* journal;
  Deadline* deadline;  // its cancellation ends the session; the body starts its time
};

// How the work of a body ended.
struct SessionEnd {
  RunResult result;    // without the certificate and `untrusted`, which the session fills in
  Judgement accepted;  // the gate's, where the result is a success
};

// Used for one session, on one thread: Begin or Resume, then Work.
class SessionBody {
 public:
  virtual ~SessionBody() = default;

  // Changes the user's settings of the gate where the body needs others.
  virtual void AdaptGate(GateSettings* /*settings*/) const {}

  // A new session. Nothing is journaled yet: a status means that it cannot begin. Adds to `start`,
  // the data of run_started, what Resume needs.
  virtual absl::Status Begin(const RunPaths& run, GatedWorkspace* workspace, Json* start) = 0;

  // Whether a session that ended without success may go on. FailedPrecondition: what has to change.
  virtual absl::Status CheckCanGoOn(const RunPaths& run, const RunHistory& history) const = 0;

  // A session that goes on, before anything of it is opened. Adds to `resumed`, the data of
  // run_resumed.
  virtual absl::Status Resume(const RunHistory& history, Json* resumed) = 0;

  // Changes files and asks the gate to finish. `history`: of a session that goes on. Blocks until
  // it is over.
  virtual SessionEnd Work(const SessionView& session, std::optional<RunHistory> history) = 0;

  // Who works, as the certificate names it. Valid after Begin or Resume.
  virtual const ModelInfo& author() const = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_SESSION_BODY_H_

// A session whose work is done by programs and people that Stile does not start.
#ifndef STILE_RUNTIME_SESSION_EXTERNAL_BODY_H_
#define STILE_RUNTIME_SESSION_EXTERNAL_BODY_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/session/session_body.h"

namespace stile {

// Who works in such a session, and how it was opened. Kept in its run_started.
struct ExternalWork {
  std::string by;                 // for people and certificates: "claude"; "": "external"
  std::string key;                // by which the opener finds it again; may be empty
  Json settings = Json::array();  // what the door that opened it needs to finish it; not looked at
};

// Whether the data of a run_started is of a session with an ExternalBody, and what it holds.
bool IsExternal(const Json& start);
ExternalWork ExternalWorkOf(const Json& start);

// It leaves the session open (RunResult::stays_open): every file that differs from its beginning
// counts as its work until a finish is accepted, finish number gate.max_failures is refused, or it
// is given up. Each call that works on an open session has a body of its own.
class ExternalBody : public SessionBody {
 public:
  enum class Step {
    kOpen,    // takes the baseline
    kFinish,  // asks the gate
    kGiveUp,  // ends the session as gave_up, without asking the gate
  };
  // `time_limit`: of a finish, with its validations. `work` is used by kOpen alone.
  explicit ExternalBody(Step step, ExternalWork work = {},
                        absl::Duration time_limit = absl::InfiniteDuration());

  void AdaptGate(GateSettings* settings) const override;
  absl::Status Begin(const RunPaths& run, GatedWorkspace* workspace, Json* start) override;
  absl::Status CheckCanGoOn(const RunPaths& run, const RunHistory& history) const override;
  absl::Status Resume(const RunHistory& history, Json* resumed) override;
  SessionEnd Work(const SessionView& session, std::optional<RunHistory> history) override;
  const ModelInfo& author() const override { return author_; }

 private:
  void Finish(const SessionView& session, int rejections, SessionEnd* end) const;

  const Step step_;
  ExternalWork work_;
  const absl::Duration time_limit_;
  ModelInfo author_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_EXTERNAL_BODY_H_

// A session in which no model is asked: edits that are known before it begins are made, and the
// gate judges what comes of them.
#ifndef STILE_RUNTIME_SESSION_EDITS_BODY_H_
#define STILE_RUNTIME_SESSION_EDITS_BODY_H_

#include <optional>
#include <string>

#include "runtime/base/json.h"
#include "runtime/session/session_body.h"
#include "runtime/workspace/edit_set.h"

namespace stile {

// Whether the data of a run_started is of a session with an EditsBody.
bool IsOfEdits(const Json& start);

// Makes the edits, all or none, validates what they leave unvalidated, and asks the gate to finish.
// The run ends as gave_up where there is an obstacle or the gate refuses; edits that were made
// stay. No permission is asked for: it was given where the edits were made first. Making them again
// after an interruption changes nothing, so that a session goes on by beginning anew.
class EditsBody : public SessionBody {
 public:
  // `task` is for people. `edits` is not owned.
  EditsBody(std::string task, const EditSet* edits);

  void AdaptGate(GateSettings* settings) const override;
  absl::Status Begin(const RunPaths& run, GatedWorkspace* workspace, Json* start) override;
  absl::Status CheckCanGoOn(const RunPaths& run, const RunHistory& history) const override;
  absl::Status Resume(const RunHistory& history, Json* resumed) override;
  SessionEnd Work(const SessionView& session, std::optional<RunHistory> history) override;
  const ModelInfo& author() const override { return author_; }

 private:
  const std::string task_;
  const EditSet& edits_;
  const ModelInfo author_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_EDITS_BODY_H_

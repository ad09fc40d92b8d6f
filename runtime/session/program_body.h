// A session whose work is done by a program that Stile did not write, such as another agent.
#ifndef STILE_RUNTIME_SESSION_PROGRAM_BODY_H_
#define STILE_RUNTIME_SESSION_PROGRAM_BODY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/process/foreground.h"
#include "runtime/session/session_body.h"

namespace stile {

struct GatedProgram {
  std::vector<std::string> argv;
  // The command that is run after a refusal; kRefusalMark in its words stands for the text of the
  // refusal. Empty: a refusal ends the session.
  std::vector<std::string> again;
  Environment environment;
  StandardStreams streams;
  absl::Duration time_limit = absl::InfiniteDuration();  // of the session, its validations included
};

inline constexpr char kRefusalMark[] = "{{refusal}}";

// Whether the data of a run_started is of a session with a ProgramBody.
bool IsOfProgram(const Json& start);
// FailedPrecondition that says what to do instead.
absl::Status ProgramIsNotResumed(const std::string& run_id);

// Runs the program in the workspace, without a sandbox, and asks the gate to finish when it has
// ended. After a refusal `again` is run; refusal number gate.max_failures ends the session as
// gate_failed, and so does the first one without `again`. If a program ends with another status
// than 0, the session ends as gave_up. It cannot be resumed: a new session judges the files that it
// left.
class ProgramBody : public SessionBody {
 public:
  explicit ProgramBody(GatedProgram program);

  void AdaptGate(GateSettings* settings) const override;
  // InvalidArgument: no program, or `again` has no mark. NotFound: there is no such program.
  absl::Status Begin(const RunPaths& run, GatedWorkspace* workspace, Json* start) override;
  absl::Status CheckCanGoOn(const RunPaths& run, const RunHistory& history) const override;
  absl::Status Resume(const RunHistory& history, Json* resumed) override;
  SessionEnd Work(const SessionView& session, std::optional<RunHistory> history) override;
  const ModelInfo& author() const override { return author_; }

 private:
  std::vector<std::string> CommandAfter(const std::string& refusal) const;
  bool RunOnce(const SessionView& session, int attempt, const std::vector<std::string>& argv,
               RunResult* result) const;

  GatedProgram program_;
  const ModelInfo author_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_PROGRAM_BODY_H_

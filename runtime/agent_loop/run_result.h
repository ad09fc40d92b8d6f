#ifndef STILE_RUNTIME_AGENT_LOOP_RUN_RESULT_H_
#define STILE_RUNTIME_AGENT_LOOP_RUN_RESULT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "runtime/agent_loop/run_state.h"
#include "runtime/model/model_settings.h"

namespace stile {

// Limits of one run; 0 means none. Each ends the run as a failure of its own kind.
struct RunLimits {
  int max_turns = 50;
  int64_t tokens = 0;
  double cost_usd = 0;
  int64_t wall_time_s = 0;
  // No end: the length of a request near which the conversation is shortened (compaction.h).
  int64_t context_tokens = 0;
};

// How a run ended: the payload of run_finished.
struct RunResult {
  RunState outcome = RunState::kFailed;  // a terminal state
  StopReason reason = StopReason::kNone;
  std::string message;  // one or more lines for people: what happened, what to do next
  // With kModelError: the provider refuses for good (key, credit, permission, name of the model) or
  // cannot be reached, so that another attempt now would end in the same way.
  bool is_final = false;
  std::string answer;                // the agent's own words
  std::vector<std::string> changed;  // paths that differ from the start, sorted
  struct CertificateRef {
    std::string path;
    std::string sha256;
  };
  std::optional<CertificateRef> certificate;
  Usage usage;
  int turns = 0;
  int failures = 0;  // consecutive failed validations at the end
  // The session has not ended: it waits for further changes and another finish (ExternalBody).
  bool stays_open = false;
  bool is_external = false;  // of such a session
  // Of a program under the gate, as program_finished tells it; nullopt: none ran.
  std::optional<int> body_exit_code;
  std::map<std::string, int> tools_used;  // successful calls by tool name
  absl::Duration duration;
  // Declarations of validators and languages in the repository's stile.yaml that did not count, as
  // "FILE:LINE: KEY": the user does not trust the file.
  std::vector<std::string> untrusted;

  bool ok() const { return outcome != RunState::kFailed; }
  int exit_code() const { return ExitCodeOf(outcome, reason); }
};

Json ToJson(const RunResult& result);
// The reverse, for stored results; DataLoss when something is missing.
absl::StatusOr<RunResult> RunResultFromJson(const Json& json);

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_RUN_RESULT_H_

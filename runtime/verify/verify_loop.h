// The rounds of a verification: the verifier raises issues, the critic judges them, until nothing
// more comes.
#ifndef STILE_RUNTIME_VERIFY_VERIFY_LOOP_H_
#define STILE_RUNTIME_VERIFY_VERIFY_LOOP_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/agent_loop/prompt.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/event/event.h"
#include "runtime/model/chat_model.h"
#include "runtime/verify/debate.h"
#include "runtime/verify/review_reply.h"
#include "runtime/verify/verify_state.h"

namespace stile {

// Nothing that a pointer names is owned.
struct VerifyParts {
  ChatModel* model = nullptr;
  const PromptTemplate* verifier = nullptr;  // with the holes of FillRound
  const PromptTemplate* critic = nullptr;
  ReviewedCode code;
  // Keeps the state after each reply that was taken up. An error ends the verification.
  std::function<absl::Status(const VerifyState& state)> keep;
  EventStream* events = nullptr;
  Clock* clock = nullptr;
  const Cancellation* cancellation = nullptr;  // may be null
  RunLimits limits;                            // of all processes that work on it together
};

// How the loop ended.
struct VerifyEnd {
  StopReason reason = StopReason::kNone;  // kNone: converged
  std::string message;
  bool is_final = false;  // as RunResult::is_final
};

// The rounds, from where `state` stands to the end. Not thread-safe; blocks while the model thinks.
// Emits the events round_start to error, see event.h.
class VerifyLoop {
 public:
  // `state` is not owned.
  VerifyLoop(VerifyParts parts, VerifyState* state) : parts_(std::move(parts)), state_(*state) {}

  // `state->status` tells converged, stopped (rounds or limits are used up, a critical issue with
  // stop_on_critical, all that is open is agreed) or error. A cancelled verification stays running.
  // May be called again: it goes on.
  VerifyEnd Run();

 private:
  absl::Status PlayRound(ReviewRole role);
  // The reply of the role, asked for again once if it cannot be read.
  absl::StatusOr<ReviewReply> Ask(ReviewRole role, VerifyRound* round);
  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, VerifyRound* round);
  void EmitRound(const VerifyRound& round, size_t issues_before);
  // Ends the loop where the round that is over gives a reason.
  void Judge(ReviewRole role);
  void Stop(VerifyStatus status, StopReason reason, std::string why);
  void FailBecause(const absl::Status& status, StopReason reason);
  // Marks what is still open.
  void CloseSession();
  bool IsUsedUp();
  absl::Duration Spent() const;

  const VerifyParts parts_;
  VerifyState& state_;
  VerifyEnd end_;
  StopReason failed_as_ = StopReason::kInternal;  // what an error would be now
  absl::Duration spent_before_;
  absl::Duration began_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_VERIFY_LOOP_H_

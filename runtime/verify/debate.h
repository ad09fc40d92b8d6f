// The rules of the debate: how a reply changes the state, and when the verification is over.
#ifndef STILE_RUNTIME_VERIFY_DEBATE_H_
#define STILE_RUNTIME_VERIFY_DEBATE_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/verify/review_reply.h"
#include "runtime/verify/verify_state.h"

namespace stile {

// The text of a file of the workspace that models may see. NotFound: there is none, or it is not
// for them.
using ReviewedFileReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// Takes up what a reply says; `round` gets what came of it. Each part that is not taken is named in
// VerifyRound::rejected:
// - an issue whose evidence is not in its file, that was raised before, or that was refuted;
// - a verdict or a withdrawal of an issue that there is not, or that is closed;
// - a file that cannot be shown.
// An id that is missing, taken or of another category is replaced. A refuted issue is resolved; one
// that is valid in part is challenged.
void TakeUp(const ReviewReply& reply, const ReviewedFileReader& read, VerifyState* state,
            VerifyRound* round);

struct Convergence {
  bool is_converged = false;
  // No further round can change anything: nothing was raised, all was looked at, and what is open
  // is agreed.
  bool is_settled = false;
  std::string reason;
  int unresolved_issues = 0;
  int critical_unresolved = 0;
};

// Converged: min_rounds are over, no critical or high issue is open, the last two rounds raised
// nothing, and the verifier has looked at every target for every category.
Convergence CheckConvergence(const VerifyState& state);

// Closes agreed issues whose quoted code is no longer in their file, after a validation of the
// present content has passed. `proof` names it. Gives the ids of those that it closed.
std::vector<std::string> CloseMended(const ReviewedFileReader& read, const std::string& proof,
                                     VerifyState* state);

// Whether CloseMended would close any.
bool HasMended(const ReviewedFileReader& read, const VerifyState& state);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_DEBATE_H_

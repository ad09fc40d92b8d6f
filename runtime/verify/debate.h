// The rules of the debate: how a reply changes the state, and when the verification is over.
#ifndef STILE_RUNTIME_VERIFY_DEBATE_H_
#define STILE_RUNTIME_VERIFY_DEBATE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/verify/review_reply.h"
#include "runtime/verify/verify_state.h"

namespace stile {

// The files of the workspace that models may see.
struct ReviewedCode {
  // The text of a file. NotFound: there is no file of the path; FailedPrecondition: it is there,
  // and cannot be shown.
  std::function<absl::StatusOr<std::string>(const std::string& path)> read;
  // The paths of all source files, where it is asked whether code has moved; may be empty.
  std::function<std::vector<std::string>()> list;
};

// Applies a reply to the state. `round` gets the issues that it raised and resolved. Each part that
// is not taken is named in VerifyRound::rejected:
// - an issue whose evidence is not in its file, that is open already, or that was refuted;
// - a verdict on an issue that is unknown, closed, or was judged before;
// - a withdrawal of an issue that the critic found, or judged VALID;
// - a file that cannot be shown.
// An id that is missing, taken or of another category is replaced. A refuted issue is resolved; one
// that is valid in part is challenged. An open issue that is named again as a more severe one gets
// that severity.
void TakeUp(const ReviewReply& reply, const ReviewedCode& code, VerifyState* state,
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

// Whether the quoted code of an agreed issue is no longer in its file, or that of a mended one is
// there again.
bool HasChanged(const ReviewedCode& code, const VerifyState& state);

// Opens mended issues whose code is back. Gives their ids.
std::vector<std::string> ReopenReturned(const ReviewedCode& code, VerifyState* state);

// Closes agreed issues whose quoted code has changed, after a validation of the present content has
// passed. `proof` names it. An issue whose code has moved to another file stays open, and names
// that file. Blanks and line breaks are no change, and a file that cannot be shown has not changed.
// Gives the ids of the issues that it closed.
std::vector<std::string> CloseMended(const ReviewedCode& code, const std::string& proof,
                                     VerifyState* state);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_DEBATE_H_

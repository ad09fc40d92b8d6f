// The prompts of a round: prompts/verifier.prompt and prompts/critic.prompt, filled in.
#ifndef STILE_RUNTIME_VERIFY_VERIFY_PROMPT_H_
#define STILE_RUNTIME_VERIFY_VERIFY_PROMPT_H_

#include <map>
#include <string>

#include "runtime/verify/debate.h"
#include "runtime/verify/verify_state.h"

namespace stile {

// The holes of the prompts: {round, max_rounds, requirements, files, other_files, previous_rounds,
// rejected, issues}; of the verifier also target_files, of the critic open_issues. Chooses the
// files that the round shows, at most 240 kB (but at least one): for the critic first those of the
// issues that it has to judge, for the verifier first targets that it has not examined. `context`
// of the round gets their paths. A file whose content has changed since it was shown counts as not
// examined; one that is gone is left out, and is no target any more.
std::map<std::string, std::string> FillRound(const ReviewedCode& code, VerifyState* state,
                                             VerifyRound* round);

// Looks at the files anew: forgets those that are gone, and what was examined in other content. One
// that cannot be shown stays, not examined.
void RefreshFiles(const ReviewedCode& code, VerifyState* state);

// "verifier round 2: 3 issues raised, 1 resolved".
std::string SummaryOf(const VerifyRound& round);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_VERIFY_PROMPT_H_

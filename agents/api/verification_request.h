// Verifications as JSON: for steps of workflows and for the tool of the MCP server.
#ifndef STILE_AGENTS_API_VERIFICATION_REQUEST_H_
#define STILE_AGENTS_API_VERIFICATION_REQUEST_H_

#include "absl/status/statusor.h"
#include "agents/api/verification_outcome.h"
#include "runtime/base/json.h"

namespace stile {

// Reads {target: PATH or [PATHS], exclude: GLOB or [GLOBS], requirements, workingDir: a folder that
// targets are relative to, maxRounds, minRounds, stopOnCritical, maxTokens, autoConsolidate, fix};
// numbers and truth values may be texts, as templates give them. InvalidArgument names the member
// that is wrong.
absl::StatusOr<VerificationRequest> VerificationRequestFromJson(const Json& json);

// The members of VerificationRequestFromJson that change a session, and fromRound.
absl::StatusOr<VerificationChanges> VerificationChangesFromJson(const Json& json);

// ResultOf the state, with `openIssues`.
Json VerificationReport(const VerifyState& state);

}  // namespace stile

#endif  // STILE_AGENTS_API_VERIFICATION_REQUEST_H_

// What a verification is asked for, and what came of it.
#ifndef STILE_AGENTS_API_VERIFICATION_OUTCOME_H_
#define STILE_AGENTS_API_VERIFICATION_OUTCOME_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/agent_loop/run_result.h"
#include "runtime/verify/verify_state.h"

namespace stile {

// RunSummary::kind of verifications.
inline constexpr char kVerificationKind[] = "verification";

struct VerificationRequest {
  // Files and folders, relative to the workspace or absolute within it; empty: the workspace.
  std::vector<std::string> targets;
  std::vector<std::string> exclude;  // globs: files to skip in target folders
  std::string requirements;          // on the code, for the models; may be empty
  VerifyOptions options;
  // An agent mends what verifier and critic agree on, in a gated run; then the rounds go on.
  bool fix = false;
};

// How a verification goes on; options without a value stay as they were.
struct VerificationChanges {
  std::optional<int> max_rounds;
  std::optional<int> min_rounds;
  std::optional<int64_t> max_tokens;
  std::optional<bool> stop_on_critical;
  std::optional<bool> auto_consolidate;
  int from_round = 0;                            // 0: where it ended; else this round is the next
  std::map<std::string, std::string> dismissed;  // ids of issues, with the reason
  bool fix = false;
};

struct VerificationOutcome {
  std::string run_id;
  VerifyState state;
  RunResult overall;             // succeeded: converged
  std::optional<RunResult> fix;  // of the last run that mended something
};

}  // namespace stile

#endif  // STILE_AGENTS_API_VERIFICATION_OUTCOME_H_

// A verification: what is looked at, what was said, and where it stands. One JSON object holds all
// of it, so that it can be kept, shown and gone on with.
#ifndef STILE_RUNTIME_VERIFY_VERIFY_STATE_H_
#define STILE_RUNTIME_VERIFY_VERIFY_STATE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/model/model_settings.h"
#include "runtime/verify/verify_issue.h"

namespace stile {

inline constexpr int kMaxVerifyRounds = 100;

struct VerifyOptions {
  int max_rounds = 10;
  int min_rounds = 2;
  bool stop_on_critical = false;
  int64_t max_tokens = 4000;  // of one reply
  bool auto_consolidate = true;
};
Json ToJson(const VerifyOptions& options);
// InvalidArgument: a number is out of its range.
absl::Status CheckVerifyOptions(const VerifyOptions& options);

// A file that the models see.
struct VerifyFile {
  std::string path;                  // relative to the workspace
  std::string sha256;                // of the content that was last shown; "": none was
  bool is_discovered = false;        // asked for or named during the debate, not a target
  std::set<IssueCategory> examined;  // what the verifier looked at in this content
};

struct VerifyRound {
  int number = 0;
  ReviewRole role = ReviewRole::kVerifier;
  std::vector<std::string> context;  // the files that the prompt shows
  std::string prompt;
  std::string response;
  std::vector<std::string> issues_raised;    // ids
  std::vector<std::string> issues_resolved;  // ids
  std::vector<std::string> rejected;         // why parts of the response were not taken
  bool context_expanded = false;             // new_files_discovered is not empty
  std::vector<std::string> new_files_discovered;
  Usage usage;
  absl::Duration duration;
};

enum class VerifyStatus { kRunning, kConverged, kStopped, kError };
absl::string_view VerifyStatusName(VerifyStatus status);  // "running", …

struct VerifyState {
  std::string id;  // of the run
  VerifyOptions options;
  std::vector<std::string> targets;  // files and folders as they were named
  std::vector<std::string> exclude;  // globs: files to skip in target folders
  std::string requirements;
  std::vector<VerifyFile> files;  // targets, then discovered ones
  std::vector<VerifyIssue> issues;
  std::vector<VerifyRound> rounds;               // of both roles, in their order
  int round = 0;                                 // that is under way or was last
  ReviewRole next_role = ReviewRole::kVerifier;  // kVerifier: the next round begins
  int replies = 0;                               // of the model, also those that did not fit
  int fixes = 0;                                 // runs that were to mend issues
  int other_turns = 0;                           // of the model in those
  VerifyStatus status = VerifyStatus::kRunning;
  std::string convergence_reason;
  std::string error;
  Usage usage;
  absl::Duration spent;  // by all processes that worked on it

  // Null: there is none.
  VerifyFile* FindFile(absl::string_view path);
  VerifyIssue* FindIssue(absl::string_view id);
  // The first free id of the category.
  std::string NewId(IssueCategory category) const;
};

// Drops the oldest prompts where all of them together have more than 16 MB.
void DropOldPrompts(VerifyState* state);

Json ToJson(const VerifyState& state);
// DataLoss: it is no state.
absl::StatusOr<VerifyState> VerifyStateFromJson(const Json& json);

// What a verification came to, from any moment of it: {sessionId, status, totalRounds, duration
// (milliseconds), issues {total, critical, high, resolved} (open and closed ones),
// convergenceReason, error?, consolidatedPlan? {mustFix, shouldFix, couldFix, wontFix,
// totalEffort}}.
Json ResultOf(const VerifyState& state);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_VERIFY_STATE_H_

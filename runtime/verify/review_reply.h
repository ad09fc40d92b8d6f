// What a model says as verifier or critic, as data.
#ifndef STILE_RUNTIME_VERIFY_REVIEW_REPLY_H_
#define STILE_RUNTIME_VERIFY_REVIEW_REPLY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/verify/verify_issue.h"

namespace stile {

// An issue that nothing has checked yet.
struct NamedIssue {
  std::string id;  // as the model wrote it; may be empty, taken, or of another category
  IssueCategory category = IssueCategory::kCorrectness;
  IssueSeverity severity = IssueSeverity::kMedium;
  std::string summary;
  IssuePlace place;
  std::string description;
  std::string evidence;
  std::string split_from;  // of the critic: the issue of which it is a part; "": none
};

struct CriticJudgement {
  std::string issue_id;
  CriticVerdict verdict = CriticVerdict::kValid;
  std::string reasoning;
  std::optional<IssueSeverity> severity;  // that the critic finds right
  std::string merge_into;                 // the issue that says the same; "": none
};

// What the verifier looked at for a category.
struct Examined {
  IssueCategory category = IssueCategory::kCorrectness;
  std::vector<std::string> files;
  std::string notes;
};

// The verifier takes an issue back.
struct Withdrawal {
  std::string issue_id;
  std::string reasoning;
};

struct ReviewReply {
  std::vector<NamedIssue> issues;
  std::vector<CriticJudgement> verdicts;  // of the critic
  std::vector<Examined> examined;         // of the verifier
  std::vector<Withdrawal> withdrawn;      // of the verifier
  std::vector<std::string> needs;         // files that it wants to see
};

// Reads the JSON object that prompts/verifier.prompt and prompts/critic.prompt describe, alone or
// among other words, and as relaxed_json.h allows; else headed paragraphs, "SEC-01" and lines
// "Severity: HIGH" below. InvalidArgument lists what is wrong, for the model to read.
absl::StatusOr<ReviewReply> ParseReviewReply(ReviewRole role, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_REVIEW_REPLY_H_

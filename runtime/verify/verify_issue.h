// A defect that the verifier or the critic names, from its raising to its end. The names of members
// and values are those of the session's JSON (verify_state.h).
#ifndef STILE_RUNTIME_VERIFY_VERIFY_ISSUE_H_
#define STILE_RUNTIME_VERIFY_VERIFY_ISSUE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/event/flow_events.h"

namespace stile {

enum class IssueCategory { kSecurity, kCorrectness, kReliability, kMaintainability, kPerformance };
inline constexpr IssueCategory kIssueCategories[] = {
    IssueCategory::kSecurity, IssueCategory::kCorrectness, IssueCategory::kReliability,
    IssueCategory::kMaintainability, IssueCategory::kPerformance};
enum class IssueSeverity { kCritical, kHigh, kMedium, kLow };
enum class IssueStatus {
  kRaised,
  kChallenged,  // the critic agrees in part
  kResolved,    // refuted, withdrawn, or mended
  kUnresolved,  // open when the session ended
  kDismissed,   // by a person
  kMerged,      // into another one
  kSplit,       // into others
};
enum class CriticVerdict { kValid, kInvalid, kPartial };
enum class ReviewRole { kVerifier, kCritic };

// "SECURITY", "CRITICAL", "RAISED", "VALID", "verifier".
absl::string_view IssueCategoryName(IssueCategory category);
absl::string_view IssueSeverityName(IssueSeverity severity);
absl::string_view IssueStatusName(IssueStatus status);
absl::string_view CriticVerdictName(CriticVerdict verdict);
absl::string_view ReviewRoleName(ReviewRole role);
// In any case of letters; nullopt: no such name.
std::optional<IssueCategory> IssueCategoryFromName(absl::string_view name);
std::optional<IssueSeverity> IssueSeverityFromName(absl::string_view name);
std::optional<CriticVerdict> CriticVerdictFromName(absl::string_view name);
// "SEC", "COR", "REL", "MNT", "PRF": how ids of the category begin.
absl::string_view IdPrefix(IssueCategory category);

// Lines of a file, from 1; 0: the file as a whole.
struct IssuePlace {
  std::string file;  // relative to the workspace
  int first_line = 0;
  int last_line = 0;
};
// "src/a.cc:12-14", "src/a.cc:12" (also with a column behind), "src/a.cc". InvalidArgument:
// neither.
absl::StatusOr<IssuePlace> ParseIssuePlace(absl::string_view text);
std::string IssuePlaceText(const IssuePlace& place);

// IssueTransition::by of a validation.
inline constexpr char kByGate[] = "gate";

struct IssueTransition {
  int round = 0;
  std::string by;  // "verifier", "critic", "user", kByGate, "session"
  IssueStatus from = IssueStatus::kRaised;
  IssueStatus to = IssueStatus::kRaised;
  std::string reason;
};

struct VerifyIssue {
  std::string id;  // IdPrefix, '-', two or more digits
  IssueCategory category = IssueCategory::kCorrectness;
  IssueSeverity severity = IssueSeverity::kMedium;
  std::string summary;
  IssuePlace place;
  std::string description;
  std::string evidence;                   // lines of the file, as the model quotes them
  std::vector<std::string> quoted_lines;  // FoundEvidence::lines, when it was raised
  ReviewRole raised_by = ReviewRole::kVerifier;
  int raised_in_round = 0;
  IssueStatus status = IssueStatus::kRaised;
  std::optional<CriticVerdict> critic_verdict;  // nullopt: the critic has not judged it
  std::string critic_reasoning;
  int critic_review_round = 0;  // 0: none
  int resolved_in_round = 0;    // 0: not resolved
  std::string resolution;
  std::string merged_into;                   // the issue that stands for it; "": none
  bool is_discovered_during_debate = false;  // the critic raised it
  std::vector<IssueTransition> transitions;

  // Whether it still stands against the code.
  bool is_active() const {
    return status == IssueStatus::kRaised || status == IssueStatus::kChallenged ||
           status == IssueStatus::kUnresolved;
  }
  bool is_severe() const {
    return severity == IssueSeverity::kCritical || severity == IssueSeverity::kHigh;
  }
  // Whether the critic agrees that there is a defect, or found it itself.
  bool is_agreed() const {
    return critic_verdict == CriticVerdict::kValid || critic_verdict == CriticVerdict::kPartial ||
           raised_by == ReviewRole::kCritic;
  }
  // Whether a validation of changed code closed it.
  bool is_mended() const {
    return status == IssueStatus::kResolved && transitions.back().by == kByGate;
  }
  // Whether the critic still has to judge it.
  bool is_open_to_critic() const { return is_active() && !is_agreed(); }
  // Records the change of `status`.
  void MoveTo(IssueStatus to, int round, absl::string_view by, std::string reason);
};

Json ToJson(const VerifyIssue& issue);
// DataLoss: a member is missing or wrong.
absl::StatusOr<VerifyIssue> IssueFromJson(const Json& json);

IssueRaisedEvent RaisedEvent(const VerifyIssue& issue);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_VERIFY_ISSUE_H_

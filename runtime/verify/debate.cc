#include "runtime/verify/debate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "runtime/base/text.h"
#include "runtime/verify/evidence.h"

namespace stile {
namespace {

constexpr int kStableRounds = 2;
constexpr size_t kMaxIssues = 1000;
constexpr size_t kMaxFiles = 500;

std::string Folded(absl::string_view text) {
  std::string folded = absl::AsciiStrToLower(text);
  absl::RemoveExtraAsciiWhitespace(&folded);
  return folded;
}

bool Overlap(const IssuePlace& a, const IssuePlace& b) {
  if (a.file != b.file) return false;
  if (a.first_line == 0 || b.first_line == 0) return true;
  return a.first_line <= b.last_line && b.first_line <= a.last_line;
}

// Whether both name the same defect.
bool IsSame(const VerifyIssue& known, const NamedIssue& named, const IssuePlace& place) {
  if (known.category != named.category || !Overlap(known.place, place)) return false;
  return known.id == named.id || Folded(known.summary) == Folded(named.summary) ||
         Folded(known.evidence) == Folded(named.evidence);
}

// One reply, as it is taken up.
class Taking {
 public:
  Taking(const ReviewedFileReader& read, VerifyState* state, VerifyRound* round)
      : read_(read), state_(*state), round_(*round) {}

  void TakeIssue(const NamedIssue& named) {
    const std::string name = absl::StrCat(named.id.empty() ? "an issue" : named.id, ": ");
    if (state_.issues.size() >= kMaxIssues) {
      return Reject(absl::StrCat(name, "the session has ", kMaxIssues, " issues already"));
    }
    const auto text = read_(named.place.file);
    if (!text.ok()) return Reject(absl::StrCat(name, text.status().message()));
    const auto place = FindEvidence(named.place, named.evidence, *text);
    if (!place.ok()) return Reject(absl::StrCat(name, place.status().message()));
    for (const VerifyIssue& known : state_.issues) {
      if (IsSame(known, named, *place)) return Reject(absl::StrCat(name, WhyKnown(known)));
    }
    VerifyIssue issue;
    issue.id = IdFor(named);
    issue.category = named.category;
    issue.severity = named.severity;
    issue.summary = named.summary;
    issue.place = *place;
    issue.description = named.description;
    issue.evidence = named.evidence;
    issue.raised_by = round_.role;
    issue.raised_in_round = round_.number;
    issue.is_discovered_during_debate = round_.role == ReviewRole::kCritic;
    Discover(place->file);
    round_.issues_raised.push_back(issue.id);
    const std::string id = issue.id;
    state_.issues.push_back(std::move(issue));
    if (!named.split_from.empty()) Split(named.split_from, id);
  }

  void TakeVerdict(const CriticJudgement& verdict) {
    VerifyIssue* const issue = OpenIssue(verdict.issue_id, "a verdict");
    if (issue == nullptr) return;
    issue->critic_verdict = verdict.verdict;
    issue->critic_reasoning = verdict.reasoning;
    issue->critic_review_round = round_.number;
    if (verdict.verdict == CriticVerdict::kInvalid) {
      return Resolve(issue, "critic", absl::StrCat("False positive: ", verdict.reasoning));
    }
    if (!verdict.merge_into.empty()) return Merge(issue, verdict);
    if (verdict.severity.has_value() && *verdict.severity != issue->severity) {
      // On record, though the status stays.
      issue->MoveTo(issue->status, round_.number, "critic",
                    absl::StrCat("Severity ", IssueSeverityName(issue->severity), " becomes ",
                                 IssueSeverityName(*verdict.severity), ": ", verdict.reasoning));
      issue->severity = *verdict.severity;
    }
    if (verdict.verdict == CriticVerdict::kPartial && issue->status == IssueStatus::kRaised) {
      issue->MoveTo(IssueStatus::kChallenged, round_.number, "critic", verdict.reasoning);
    }
  }

  void TakeWithdrawal(const Withdrawal& withdrawal) {
    VerifyIssue* const issue = OpenIssue(withdrawal.issue_id, "a withdrawal");
    if (issue == nullptr) return;
    // What the critic found to be a defect is one until the code has changed.
    if (issue->critic_verdict == CriticVerdict::kValid) {
      return Reject(absl::StrCat(issue->id, " was found valid, and cannot be withdrawn"));
    }
    Resolve(issue, "verifier", absl::StrCat("Withdrawn: ", withdrawal.reasoning));
  }

  void TakeExamined(const Examined& examined) {
    for (const std::string& path : examined.files) {
      VerifyFile* const file = state_.FindFile(path);
      if (file != nullptr && std::count(round_.context.begin(), round_.context.end(), path) > 0) {
        file->examined.insert(examined.category);
      } else {
        Reject(absl::StrCat("examined ", path, ": the file was not shown in this round"));
      }
    }
  }

  void TakeNeed(const std::string& path) {
    const auto text = read_(path);
    if (!text.ok()) return Reject(absl::StrCat("needs ", path, ": ", text.status().message()));
    Discover(path);
  }

 private:
  void Reject(std::string why) { round_.rejected.push_back(std::move(why)); }

  static std::string WhyKnown(const VerifyIssue& known) {
    if (known.is_active()) return absl::StrCat("was raised before as ", known.id);
    return absl::StrCat("is closed as ", known.id, ": ", known.resolution);
  }

  std::string IdFor(const NamedIssue& named) const {
    static const auto* form = new RE2(R"([A-Z]{3}-\d{2,6})");
    const bool is_usable = RE2::FullMatch(named.id, *form) &&
                           absl::StartsWith(named.id, IdPrefix(named.category)) &&
                           state_.FindIssue(named.id) == nullptr;
    return is_usable ? named.id : state_.NewId(named.category);
  }

  // Null, and rejected, where there is no such open issue.
  VerifyIssue* OpenIssue(const std::string& id, absl::string_view what) {
    VerifyIssue* const issue = state_.FindIssue(id);
    if (issue == nullptr) {
      Reject(absl::StrCat(what, " on ", id, ": there is no such issue"));
      return nullptr;
    }
    if (issue->is_active()) return issue;
    Reject(absl::StrCat(what, " on ", id, ": it is closed: ", issue->resolution));
    return nullptr;
  }

  void Resolve(VerifyIssue* issue, absl::string_view by, std::string resolution) {
    issue->MoveTo(IssueStatus::kResolved, round_.number, by, std::move(resolution));
    round_.issues_resolved.push_back(issue->id);
    // What was refuted was its form: those that it stood for are open again.
    for (VerifyIssue& other : state_.issues) {
      if (other.status != IssueStatus::kMerged || other.merged_into != issue->id) continue;
      other.MoveTo(IssueStatus::kRaised, round_.number, by,
                   absl::StrCat(issue->id, ", into which it was merged, is closed"));
      other.merged_into.clear();
      other.resolved_in_round = 0;
      other.resolution.clear();
      other.critic_verdict.reset();
    }
  }

  void Merge(VerifyIssue* issue, const CriticJudgement& verdict) {
    VerifyIssue* const other = state_.FindIssue(verdict.merge_into);
    if (other == nullptr || other == issue || !other->is_active()) {
      return Reject(absl::StrCat(issue->id, " cannot be merged into ", verdict.merge_into,
                                 ": there is no such open issue"));
    }
    issue->MoveTo(IssueStatus::kMerged, round_.number, "critic",
                  absl::StrCat("Merged into ", other->id, ": ", verdict.reasoning));
    issue->merged_into = other->id;
    other->severity = std::min(other->severity, issue->severity);  // the worst comes first
    if (issue->critic_verdict == CriticVerdict::kValid)
      other->critic_verdict = CriticVerdict::kValid;
  }

  void Split(const std::string& from, const std::string& into) {
    VerifyIssue* const issue = state_.FindIssue(from);
    const VerifyIssue* const part = state_.FindIssue(into);
    if (issue == nullptr || issue == part) {
      return Reject(absl::StrCat(into, " cannot be split from ", from, ": there is no such issue"));
    }
    if (issue->status == IssueStatus::kSplit) {
      absl::StrAppend(&issue->resolution, ", ", into);
    } else if (issue->is_active() && part->severity > issue->severity) {
      Reject(absl::StrCat(from, " stays open: ", into, " is less severe"));
    } else if (issue->is_active()) {
      issue->MoveTo(IssueStatus::kSplit, round_.number, "critic",
                    absl::StrCat("Split into ", into));
    }
  }

  // The models see the file from the next round on.
  void Discover(const std::string& path) {
    if (state_.FindFile(path) != nullptr || state_.files.size() >= kMaxFiles) return;
    state_.files.push_back({path, "", /*is_discovered=*/true, {}});
    round_.new_files_discovered.push_back(path);
    round_.context_expanded = true;
  }

  const ReviewedFileReader& read_;
  VerifyState& state_;
  VerifyRound& round_;
};

// Whether the two last rounds are over and raised nothing.
bool IsStable(const VerifyState& state) {
  if (state.round < kStableRounds) return false;
  return std::none_of(state.rounds.begin(), state.rounds.end(), [&](const VerifyRound& round) {
    return round.number > state.round - kStableRounds && !round.issues_raised.empty();
  });
}

// The first target that was not looked at for a category: "a.py for SECURITY"; "": there is none.
std::string NotExamined(const VerifyState& state) {
  for (const VerifyFile& file : state.files) {
    if (file.is_discovered) continue;
    for (const IssueCategory category : kIssueCategories) {
      if (file.examined.count(category) == 0) {
        return absl::StrCat(file.path, " for ", IssueCategoryName(category));
      }
    }
  }
  return "";
}

// Whether the code that the issue quotes is gone from its file.
bool IsMended(const VerifyIssue& issue, const ReviewedFileReader& read) {
  if (!issue.is_active() || !issue.is_agreed()) return false;
  const auto text = read(issue.place.file);
  return absl::IsNotFound(text.status()) || (text.ok() && !HasAllEvidence(issue.evidence, *text));
}

}  // namespace

void TakeUp(const ReviewReply& reply, const ReviewedFileReader& read, VerifyState* state,
            VerifyRound* round) {
  Taking taking(read, state, round);
  for (const Examined& examined : reply.examined) taking.TakeExamined(examined);
  for (const CriticJudgement& verdict : reply.verdicts) taking.TakeVerdict(verdict);
  for (const Withdrawal& withdrawal : reply.withdrawn) taking.TakeWithdrawal(withdrawal);
  for (const NamedIssue& issue : reply.issues) taking.TakeIssue(issue);
  for (const std::string& path : reply.needs) taking.TakeNeed(path);
}

Convergence CheckConvergence(const VerifyState& state) {
  Convergence found;
  int severe = 0;
  bool is_agreed = true;
  for (const VerifyIssue& issue : state.issues) {
    if (!issue.is_active()) continue;
    ++found.unresolved_issues;
    found.critical_unresolved += issue.severity == IssueSeverity::kCritical ? 1 : 0;
    severe += issue.is_severe() ? 1 : 0;
    is_agreed = is_agreed && issue.is_agreed();
  }
  const std::string not_examined = NotExamined(state);
  if (state.round < state.options.min_rounds) {
    found.reason = absl::StrCat("round ", state.round, " of at least ", state.options.min_rounds);
  } else if (!IsStable(state)) {
    found.reason = absl::StrCat("issues were raised in the last ", kStableRounds, " rounds");
  } else if (!not_examined.empty()) {
    found.reason = absl::StrCat("the verifier has not examined ", not_examined);
  } else if (severe > 0) {
    found.is_settled = is_agreed;
    found.reason = absl::StrCat(Count(static_cast<size_t>(severe), "critical or high issue"),
                                severe == 1 ? " is open" : " are open");
  } else {
    found.is_converged = true;
    found.reason = absl::StrCat("nothing was raised in ", kStableRounds,
                                " rounds, every category was examined, and no critical or high "
                                "issue is open");
  }
  return found;
}

std::vector<std::string> CloseMended(const ReviewedFileReader& read, const std::string& proof,
                                     VerifyState* state) {
  std::vector<std::string> closed;
  for (VerifyIssue& issue : state->issues) {
    if (!IsMended(issue, read)) continue;
    issue.MoveTo(IssueStatus::kResolved, state->round, "gate",
                 absl::StrCat("The quoted code has changed, and ", proof, " passed"));
    closed.push_back(issue.id);
  }
  return closed;
}

bool HasMended(const ReviewedFileReader& read, const VerifyState& state) {
  return std::any_of(state.issues.begin(), state.issues.end(),
                     [&](const VerifyIssue& issue) { return IsMended(issue, read); });
}

}  // namespace stile

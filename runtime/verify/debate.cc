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
  return Folded(known.summary) == Folded(named.summary) ||
         Folded(known.evidence) == Folded(named.evidence);
}

// Whether a closed issue must not be raised again: the critic refuted it, or a person dismissed it.
bool IsSettled(const VerifyIssue& issue) {
  return issue.status == IssueStatus::kDismissed ||
         (issue.status == IssueStatus::kResolved &&
          issue.critic_verdict == CriticVerdict::kInvalid);
}

// One reply, as it is taken up.
class Taking {
 public:
  Taking(const ReviewedCode& code, VerifyState* state, VerifyRound* round)
      : code_(code), state_(*state), round_(*round) {}

  void TakeIssue(const NamedIssue& named) {
    const std::string name = absl::StrCat(named.id.empty() ? "an issue" : named.id, ": ");
    if (state_.issues.size() >= kMaxIssues) {
      return Reject(absl::StrCat(name, "the session has ", kMaxIssues, " issues already"));
    }
    const auto text = code_.read(named.place.file);
    if (!text.ok()) return Reject(absl::StrCat(name, text.status().message()));
    auto found = FindEvidence(named.place, named.evidence, *text);
    if (!found.ok()) return Reject(absl::StrCat(name, found.status().message()));
    for (VerifyIssue& known : state_.issues) {
      if (!IsSame(known, named, found->place)) continue;
      if (known.is_active()) return Repeat(named, &known);
      if (known.status == IssueStatus::kMerged) {
        return Reject(absl::StrCat(name, "is part of ", known.merged_into));
      }
      if (IsSettled(known)) {
        return Reject(absl::StrCat(name, "is closed as ", known.id, ": ", known.resolution));
      }
    }
    VerifyIssue issue;
    issue.id = IdFor(named);
    issue.category = named.category;
    issue.severity = named.severity;
    issue.summary = named.summary;
    issue.place = std::move(found->place);
    issue.quoted_lines = std::move(found->lines);
    issue.description = named.description;
    issue.evidence = named.evidence;
    issue.raised_by = round_.role;
    issue.raised_in_round = round_.number;
    issue.is_discovered_during_debate = round_.role == ReviewRole::kCritic;
    Discover(issue.place.file);
    round_.issues_raised.push_back(issue.id);
    const std::string id = issue.id;
    state_.issues.push_back(std::move(issue));
    const bool is_critic = round_.role == ReviewRole::kCritic;
    if (is_critic && !named.split_from.empty()) Split(named.split_from, id);
  }

  void TakeVerdict(const CriticJudgement& verdict) {
    VerifyIssue* const issue = OpenIssue(verdict.issue_id, "a verdict");
    if (issue == nullptr) return;
    if (!issue->is_open_to_critic()) {
      return Reject(
          absl::StrCat("a verdict on ", issue->id, ": it was judged in an earlier round"));
    }
    issue->critic_verdict = verdict.verdict;
    issue->critic_reasoning = verdict.reasoning;
    issue->critic_review_round = round_.number;
    if (verdict.verdict == CriticVerdict::kInvalid) {
      return Resolve(issue, "critic", absl::StrCat("False positive: ", verdict.reasoning));
    }
    if (verdict.severity.has_value() && *verdict.severity != issue->severity) {
      // On record, though the status stays.
      issue->MoveTo(issue->status, round_.number, "critic",
                    absl::StrCat("Severity ", IssueSeverityName(issue->severity), " becomes ",
                                 IssueSeverityName(*verdict.severity), ": ", verdict.reasoning));
      issue->severity = *verdict.severity;
    }
    if (!verdict.merge_into.empty()) return Merge(issue, verdict);
    if (verdict.verdict == CriticVerdict::kPartial && issue->status == IssueStatus::kRaised) {
      issue->MoveTo(IssueStatus::kChallenged, round_.number, "critic", verdict.reasoning);
    }
  }

  void TakeWithdrawal(const Withdrawal& withdrawal) {
    VerifyIssue* const issue = OpenIssue(withdrawal.issue_id, "a withdrawal");
    if (issue == nullptr) return;
    // What the critic found to be a defect is one until the code has changed.
    if (issue->is_agreed() && issue->critic_verdict != CriticVerdict::kPartial) {
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
    const auto text = code_.read(path);
    if (!text.ok()) return Reject(absl::StrCat("needs ", path, ": ", text.status().message()));
    Discover(path);
  }

 private:
  void Reject(std::string why) { round_.rejected.push_back(std::move(why)); }

  // An open issue is named once more.
  void Repeat(const NamedIssue& named, VerifyIssue* known) {
    if (named.severity >= known->severity) {
      return Reject(absl::StrCat(named.id.empty() ? "an issue" : named.id,
                                 ": was raised before as ", known->id));
    }
    known->MoveTo(known->status, round_.number, ReviewRoleName(round_.role),
                  absl::StrCat("Severity ", IssueSeverityName(known->severity), " becomes ",
                               IssueSeverityName(named.severity), ": ", named.description));
    known->severity = named.severity;
    round_.issues_raised.push_back(known->id);
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
    if (issue->critic_verdict != CriticVerdict::kValid || other->is_agreed()) return;
    other->critic_verdict = CriticVerdict::kValid;
    other->critic_reasoning = verdict.reasoning;
    other->critic_review_round = round_.number;
  }

  void Split(const std::string& from, const std::string& into) {
    VerifyIssue* const issue = state_.FindIssue(from);
    const VerifyIssue* const part = state_.FindIssue(into);
    if (issue == nullptr || issue == part) {
      return Reject(absl::StrCat(into, " cannot be split from ", from, ": there is no such issue"));
    }
    if (issue->status == IssueStatus::kSplit) {
      absl::StrAppend(&issue->resolution, ", ", into);
    } else if (issue->is_active() &&
               (part->severity > issue->severity || part->place.file != issue->place.file)) {
      Reject(absl::StrCat(from, " stays open: ", into, " is less severe, or in another file"));
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

  const ReviewedCode& code_;
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
  const bool has_target = std::any_of(state.files.begin(), state.files.end(),
                                      [](const VerifyFile& file) { return !file.is_discovered; });
  if (!has_target) return "a target: none of them is there any more";
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

// The quoted lines that are gone; none where the file cannot be shown.
std::vector<std::string> GoneLines(const VerifyIssue& issue, const ReviewedCode& code) {
  const auto text = code.read(issue.place.file);
  if (text.ok()) return MissingLines(issue.quoted_lines, *text);
  return absl::IsNotFound(text.status()) ? issue.quoted_lines : std::vector<std::string>();
}

bool IsOpenAndAgreed(const VerifyIssue& issue) { return issue.is_active() && issue.is_agreed(); }

// Another file that has all of the lines; "": there is none.
std::string FileWith(const std::vector<std::string>& lines, const std::string& except,
                     const ReviewedCode& code) {
  if (!code.list) return "";
  for (const std::string& path : code.list()) {
    if (path == except) continue;
    const auto text = code.read(path);
    if (text.ok() && MissingLines(lines, *text).empty()) return path;
  }
  return "";
}

}  // namespace

void TakeUp(const ReviewReply& reply, const ReviewedCode& code, VerifyState* state,
            VerifyRound* round) {
  Taking taking(code, state, round);
  for (const Examined& examined : reply.examined) taking.TakeExamined(examined);
  // Whatever their order, an issue is merged into one that is still open.
  for (const bool merges : {false, true}) {
    for (const CriticJudgement& verdict : reply.verdicts) {
      if (verdict.merge_into.empty() != merges) taking.TakeVerdict(verdict);
    }
  }
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
  if (state.issues.size() >= kMaxIssues) {
    found.reason = absl::StrCat("the session has ", kMaxIssues, " issues, and takes no more");
  } else if (state.round < state.options.min_rounds) {
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

bool HasChanged(const ReviewedCode& code, const VerifyState& state) {
  return std::any_of(state.issues.begin(), state.issues.end(), [&](const VerifyIssue& issue) {
    if (IsOpenAndAgreed(issue)) return !GoneLines(issue, code).empty();
    return issue.is_mended() && GoneLines(issue, code).empty();
  });
}

std::vector<std::string> ReopenReturned(const ReviewedCode& code, VerifyState* state) {
  std::vector<std::string> opened;
  for (VerifyIssue& issue : state->issues) {
    if (!issue.is_mended() || !GoneLines(issue, code).empty()) continue;
    issue.MoveTo(IssueStatus::kRaised, state->round, kByGate, "The quoted code is there again");
    issue.resolved_in_round = 0;
    issue.resolution.clear();
    opened.push_back(issue.id);
  }
  return opened;
}

std::vector<std::string> CloseMended(const ReviewedCode& code, const std::string& proof,
                                     VerifyState* state) {
  std::vector<std::string> closed;
  for (VerifyIssue& issue : state->issues) {
    if (!IsOpenAndAgreed(issue)) continue;
    const std::vector<std::string> gone = GoneLines(issue, code);
    if (gone.empty()) continue;
    const std::string moved = FileWith(issue.quoted_lines, issue.place.file, code);
    if (!moved.empty()) {
      issue.MoveTo(issue.status, state->round, kByGate,
                   absl::StrCat("The code has moved from ", issue.place.file, " to ", moved));
      issue.place = {moved, 0, 0};
      const bool is_known = state->FindFile(moved) != nullptr || state->files.size() >= kMaxFiles;
      if (!is_known) state->files.push_back({moved, "", true, {}});
      continue;
    }
    issue.MoveTo(IssueStatus::kResolved, state->round, kByGate,
                 absl::StrCat("The quoted code has changed, and ", proof, " passed"));
    closed.push_back(issue.id);
  }
  return closed;
}

}  // namespace stile

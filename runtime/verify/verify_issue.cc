#include "runtime/verify/verify_issue.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr absl::string_view kCategories[] = {"SECURITY", "CORRECTNESS", "RELIABILITY",
                                             "MAINTAINABILITY", "PERFORMANCE"};
constexpr absl::string_view kPrefixes[] = {"SEC", "COR", "REL", "MNT", "PRF"};
constexpr absl::string_view kSeverities[] = {"CRITICAL", "HIGH", "MEDIUM", "LOW"};
constexpr absl::string_view kStatuses[] = {"RAISED",    "CHALLENGED", "RESOLVED", "UNRESOLVED",
                                           "DISMISSED", "MERGED",     "SPLIT"};
constexpr absl::string_view kVerdicts[] = {"VALID", "INVALID", "PARTIAL"};
constexpr absl::string_view kRoles[] = {"verifier", "critic"};

template <typename Enum, size_t N>
std::optional<Enum> Find(const absl::string_view (&names)[N], absl::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (absl::EqualsIgnoreCase(names[i], name)) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// The member `key` as one of `names`.
template <typename Enum, size_t N>
absl::StatusOr<Enum> Read(const Json& json, const char* key, const absl::string_view (&names)[N]) {
  const auto name = JsonString(json, key);
  const auto found = name.has_value() ? Find<Enum>(names, *name) : std::nullopt;
  if (found.has_value()) return *found;
  return absl::DataLossError(absl::StrCat("an issue has no usable ", key));
}

Json ToJson(const IssueTransition& step) {
  return {{"round", step.round},
          {"by", step.by},
          {"from", std::string(IssueStatusName(step.from))},
          {"to", std::string(IssueStatusName(step.to))},
          {"reason", step.reason}};
}

absl::Status ReadTransitions(const Json& json, std::vector<IssueTransition>* transitions) {
  const Json* const list = JsonMember(json, "transitions");
  if (list == nullptr) return absl::OkStatus();
  for (const Json& item : *list) {
    IssueTransition step;
    step.round = static_cast<int>(JsonInt(item, "round").value_or(0));
    step.by = JsonString(item, "by").value_or("");
    step.reason = JsonString(item, "reason").value_or("");
    STILE_ASSIGN_OR_RETURN(step.from, Read<IssueStatus>(item, "from", kStatuses));
    STILE_ASSIGN_OR_RETURN(step.to, Read<IssueStatus>(item, "to", kStatuses));
    transitions->push_back(std::move(step));
  }
  return absl::OkStatus();
}

// A line number, or nothing.
std::optional<int> LineNumber(absl::string_view text) {
  int line = 0;
  if (!absl::SimpleAtoi(text, &line) || line < 1) return std::nullopt;
  return line;
}

}  // namespace

absl::string_view IssueCategoryName(IssueCategory category) {
  return kCategories[static_cast<size_t>(category)];
}
absl::string_view IssueSeverityName(IssueSeverity severity) {
  return kSeverities[static_cast<size_t>(severity)];
}
absl::string_view IssueStatusName(IssueStatus status) {
  return kStatuses[static_cast<size_t>(status)];
}
absl::string_view CriticVerdictName(CriticVerdict verdict) {
  return kVerdicts[static_cast<size_t>(verdict)];
}
absl::string_view ReviewRoleName(ReviewRole role) { return kRoles[static_cast<size_t>(role)]; }
std::optional<IssueCategory> IssueCategoryFromName(absl::string_view name) {
  return Find<IssueCategory>(kCategories, name);
}
std::optional<IssueSeverity> IssueSeverityFromName(absl::string_view name) {
  return Find<IssueSeverity>(kSeverities, name);
}
std::optional<CriticVerdict> CriticVerdictFromName(absl::string_view name) {
  return Find<CriticVerdict>(kVerdicts, name);
}
absl::string_view IdPrefix(IssueCategory category) {
  return kPrefixes[static_cast<size_t>(category)];
}

absl::StatusOr<IssuePlace> ParseIssuePlace(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  IssuePlace place;
  // From behind: a file's name can hold colons.
  const size_t colon = text.rfind(':');
  const absl::string_view lines =
      colon == absl::string_view::npos ? absl::string_view() : text.substr(colon + 1);
  const size_t dash = lines.find('-');
  const auto first = LineNumber(lines.substr(0, dash));
  const auto last = dash == absl::string_view::npos ? first : LineNumber(lines.substr(dash + 1));
  if (!first.has_value() || !last.has_value()) {
    place.file = std::string(text);
  } else if (const size_t before = text.rfind(':', colon - 1);
             colon > 0 && before != absl::string_view::npos &&
             LineNumber(text.substr(before + 1, colon - before - 1)).has_value()) {
    // FILE:LINE:COLUMN
    place.file = std::string(text.substr(0, before));
    place.first_line = place.last_line = *LineNumber(text.substr(before + 1, colon - before - 1));
  } else {
    place.file = std::string(text.substr(0, colon));
    place.first_line = *first;
    place.last_line = std::max(*first, *last);
  }
  while (absl::StartsWith(place.file, "./")) place.file.erase(0, 2);
  if (place.file.empty()) {
    return absl::InvalidArgumentError("the location is empty; write FILE:LINE or FILE:LINE-LINE");
  }
  return place;
}

std::string IssuePlaceText(const IssuePlace& place) {
  if (place.first_line == 0) return place.file;
  if (place.last_line <= place.first_line) return absl::StrCat(place.file, ":", place.first_line);
  return absl::StrCat(place.file, ":", place.first_line, "-", place.last_line);
}

void VerifyIssue::MoveTo(IssueStatus to, int round, absl::string_view by, std::string reason) {
  transitions.push_back({round, std::string(by), status, to, reason});
  status = to;
  if (to != IssueStatus::kResolved && to != IssueStatus::kDismissed && to != IssueStatus::kMerged &&
      to != IssueStatus::kSplit) {
    return;
  }
  resolved_in_round = round;
  resolution = std::move(reason);
}

Json ToJson(const VerifyIssue& issue) {
  Json json = {{"id", issue.id},
               {"category", std::string(IssueCategoryName(issue.category))},
               {"severity", std::string(IssueSeverityName(issue.severity))},
               {"summary", issue.summary},
               {"location", IssuePlaceText(issue.place)},
               {"description", issue.description},
               {"evidence", issue.evidence},
               {"quotedLines", issue.quoted_lines},
               {"raisedBy", std::string(ReviewRoleName(issue.raised_by))},
               {"raisedInRound", issue.raised_in_round},
               {"status", std::string(IssueStatusName(issue.status))},
               {"criticReviewed", issue.critic_verdict.has_value()},
               {"discoveredDuringDebate", issue.is_discovered_during_debate},
               {"transitions", Json::array()}};
  if (issue.critic_verdict.has_value()) {
    json["criticVerdict"] = std::string(CriticVerdictName(*issue.critic_verdict));
    json["criticReasoning"] = issue.critic_reasoning;
    json["criticReviewRound"] = issue.critic_review_round;
  }
  if (issue.resolved_in_round > 0) {
    json["resolvedInRound"] = issue.resolved_in_round;
    json["resolution"] = issue.resolution;
  }
  if (!issue.merged_into.empty()) json["mergedInto"] = issue.merged_into;
  for (const IssueTransition& step : issue.transitions) {
    json["transitions"].push_back(ToJson(step));
  }
  return json;
}

absl::StatusOr<VerifyIssue> IssueFromJson(const Json& json) {
  VerifyIssue issue;
  issue.id = JsonString(json, "id").value_or("");
  if (issue.id.empty()) return absl::DataLossError("an issue has no id");
  STILE_ASSIGN_OR_RETURN(issue.category, Read<IssueCategory>(json, "category", kCategories));
  STILE_ASSIGN_OR_RETURN(issue.severity, Read<IssueSeverity>(json, "severity", kSeverities));
  STILE_ASSIGN_OR_RETURN(issue.status, Read<IssueStatus>(json, "status", kStatuses));
  STILE_ASSIGN_OR_RETURN(issue.raised_by, Read<ReviewRole>(json, "raisedBy", kRoles));
  if (json.contains("criticVerdict")) {
    STILE_ASSIGN_OR_RETURN(issue.critic_verdict,
                           Read<CriticVerdict>(json, "criticVerdict", kVerdicts));
  }
  auto place = ParseIssuePlace(JsonString(json, "location").value_or(""));
  if (!place.ok()) return absl::DataLossError("an issue has no usable location");
  issue.place = *std::move(place);
  issue.summary = JsonString(json, "summary").value_or("");
  issue.description = JsonString(json, "description").value_or("");
  issue.evidence = JsonString(json, "evidence").value_or("");
  if (const Json* lines = JsonMember(json, "quotedLines"); lines != nullptr && lines->is_array()) {
    for (const Json& line : *lines) {
      if (line.is_string()) issue.quoted_lines.push_back(line.get<std::string>());
    }
  }
  issue.critic_reasoning = JsonString(json, "criticReasoning").value_or("");
  issue.resolution = JsonString(json, "resolution").value_or("");
  issue.merged_into = JsonString(json, "mergedInto").value_or("");
  issue.raised_in_round = static_cast<int>(JsonInt(json, "raisedInRound").value_or(0));
  issue.critic_review_round = static_cast<int>(JsonInt(json, "criticReviewRound").value_or(0));
  issue.resolved_in_round = static_cast<int>(JsonInt(json, "resolvedInRound").value_or(0));
  issue.is_discovered_during_debate = JsonBool(json, "discoveredDuringDebate").value_or(false);
  STILE_RETURN_IF_ERROR(ReadTransitions(json, &issue.transitions));
  if (!issue.is_active() && issue.transitions.empty()) {
    return absl::DataLossError(absl::StrCat("the closed issue ", issue.id, " has no transitions"));
  }
  return issue;
}

IssueRaisedEvent RaisedEvent(const VerifyIssue& issue) {
  return {.issue_id = issue.id,
          .severity = std::string(IssueSeverityName(issue.severity)),
          .category = std::string(IssueCategoryName(issue.category)),
          .summary = issue.summary,
          .location = IssuePlaceText(issue.place),
          .raised_by = std::string(ReviewRoleName(issue.raised_by))};
}

}  // namespace stile

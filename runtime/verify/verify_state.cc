#include "runtime/verify/verify_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr absl::string_view kStatuses[] = {"running", "converged", "stopped", "error"};
constexpr size_t kMaxPromptBytes = size_t{16} << 20;
constexpr int64_t kMaxReplyTokens = 1'000'000;

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the state of the verification has no usable ", what));
}

std::vector<std::string> Texts(const Json& json, const char* key) {
  std::vector<std::string> texts;
  const Json* const list = JsonMember(json, key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& item : *list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

Json ToJson(const VerifyFile& file) {
  Json json = {{"path", file.path},
               {"sha256", file.sha256},
               {"discovered", file.is_discovered},
               {"examined", Json::array()}};
  for (const IssueCategory category : file.examined) {
    json["examined"].push_back(std::string(IssueCategoryName(category)));
  }
  return json;
}

absl::StatusOr<VerifyFile> FileFromJson(const Json& json) {
  VerifyFile file;
  file.path = JsonString(json, "path").value_or("");
  if (file.path.empty()) return Damaged("files");
  file.sha256 = JsonString(json, "sha256").value_or("");
  file.is_discovered = JsonBool(json, "discovered").value_or(false);
  for (const std::string& name : Texts(json, "examined")) {
    if (const auto category = IssueCategoryFromName(name)) file.examined.insert(*category);
  }
  return file;
}

Json ToJson(const VerifyRound& round) {
  return {{"number", round.number},
          {"role", std::string(ReviewRoleName(round.role))},
          {"context", round.context},
          {"prompt", round.prompt},
          {"response", round.response},
          {"issuesRaised", round.issues_raised},
          {"issuesResolved", round.issues_resolved},
          {"rejected", round.rejected},
          {"contextExpanded", round.context_expanded},
          {"newFilesDiscovered", round.new_files_discovered},
          {"usage", stile::ToJson(round.usage)},
          {"duration", absl::ToInt64Milliseconds(round.duration)}};
}

ReviewRole RoleOf(const Json& json, const char* key) {
  return JsonString(json, key) == "critic" ? ReviewRole::kCritic : ReviewRole::kVerifier;
}

absl::StatusOr<VerifyRound> RoundFromJson(const Json& json) {
  VerifyRound round;
  const auto number = JsonInt(json, "number");
  const Json* const usage = JsonMember(json, "usage");
  if (!number.has_value() || usage == nullptr) return Damaged("rounds");
  round.number = static_cast<int>(*number);
  round.role = RoleOf(json, "role");
  round.context = Texts(json, "context");
  round.prompt = JsonString(json, "prompt").value_or("");
  round.response = JsonString(json, "response").value_or("");
  round.issues_raised = Texts(json, "issuesRaised");
  round.issues_resolved = Texts(json, "issuesResolved");
  round.rejected = Texts(json, "rejected");
  round.context_expanded = JsonBool(json, "contextExpanded").value_or(false);
  round.new_files_discovered = Texts(json, "newFilesDiscovered");
  STILE_ASSIGN_OR_RETURN(round.usage, UsageFromJson(*usage));
  round.duration = absl::Milliseconds(JsonInt(json, "duration").value_or(0));
  return round;
}

// Reads the objects of the array `key` into `items`.
template <typename T>
absl::Status ReadList(const Json& json, const char* key,
                      absl::StatusOr<T> (*read)(const Json& json), std::vector<T>* items) {
  const Json* const list = JsonMember(json, key);
  if (list == nullptr || !list->is_array()) return Damaged(key);
  for (const Json& item : *list) {
    STILE_ASSIGN_OR_RETURN(T value, read(item));
    items->push_back(std::move(value));
  }
  return absl::OkStatus();
}

VerifyOptions OptionsFromJson(const Json& json) {
  VerifyOptions options;
  options.max_rounds = static_cast<int>(JsonInt(json, "maxRounds").value_or(options.max_rounds));
  options.min_rounds = static_cast<int>(JsonInt(json, "minRounds").value_or(options.min_rounds));
  options.stop_on_critical = JsonBool(json, "stopOnCritical").value_or(false);
  options.max_tokens = JsonInt(json, "maxTokens").value_or(options.max_tokens);
  options.auto_consolidate = JsonBool(json, "autoConsolidate").value_or(true);
  return options;
}

absl::string_view Effort(size_t points) {
  if (points <= 5) return "Low";
  if (points <= 15) return "Medium";
  return points <= 30 ? "High" : "Very High";
}

Json Consolidate(const std::vector<VerifyIssue>& issues) {
  Json must = Json::array();
  Json should = Json::array();
  Json could = Json::array();
  Json wont = Json::array();
  for (const VerifyIssue& issue : issues) {
    if (issue.status == IssueStatus::kResolved || issue.status == IssueStatus::kDismissed) {
      wont.push_back(ToJson(issue));
    } else if (!issue.is_active()) {
      continue;  // another issue stands for it
    } else if (issue.is_severe()) {
      must.push_back(ToJson(issue));
    } else {
      (issue.severity == IssueSeverity::kMedium ? should : could).push_back(ToJson(issue));
    }
  }
  const size_t points = must.size() * 3 + should.size() * 2 + could.size();
  return {{"mustFix", std::move(must)},
          {"shouldFix", std::move(should)},
          {"couldFix", std::move(could)},
          {"wontFix", std::move(wont)},
          {"totalEffort", std::string(Effort(points))}};
}

}  // namespace

absl::string_view VerifyStatusName(VerifyStatus status) {
  return kStatuses[static_cast<size_t>(status)];
}

Json ToJson(const VerifyOptions& options) {
  return {{"maxRounds", options.max_rounds},
          {"minRounds", options.min_rounds},
          {"stopOnCritical", options.stop_on_critical},
          {"maxTokens", options.max_tokens},
          {"autoConsolidate", options.auto_consolidate}};
}

absl::Status CheckVerifyOptions(const VerifyOptions& options) {
  if (options.max_rounds < 1 || options.max_rounds > kMaxVerifyRounds) {
    return absl::InvalidArgumentError(
        absl::StrCat("maxRounds (--max-rounds) has to be between 1 and ", kMaxVerifyRounds));
  }
  if (options.min_rounds < 1 || options.min_rounds > options.max_rounds) {
    return absl::InvalidArgumentError(absl::StrCat(
        "minRounds (--min-rounds) has to be between 1 and maxRounds, ", options.max_rounds));
  }
  if (options.max_tokens < 1 || options.max_tokens > kMaxReplyTokens) {
    return absl::InvalidArgumentError(
        absl::StrCat("maxTokens (--reply-tokens) has to be between 1 and ", kMaxReplyTokens));
  }
  return absl::OkStatus();
}

VerifyFile* VerifyState::FindFile(absl::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const VerifyFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

VerifyIssue* VerifyState::FindIssue(absl::string_view wanted) {
  const auto found = std::find_if(issues.begin(), issues.end(),
                                  [&](const VerifyIssue& issue) { return issue.id == wanted; });
  return found == issues.end() ? nullptr : &*found;
}

std::string VerifyState::NewId(IssueCategory category) const {
  for (int number = 1;; ++number) {
    std::string free = absl::StrFormat("%s-%02d", IdPrefix(category), number);
    const bool is_taken = std::any_of(issues.begin(), issues.end(),
                                      [&](const VerifyIssue& issue) { return issue.id == free; });
    if (!is_taken) return free;
  }
}

void DropOldPrompts(VerifyState* state) {
  size_t bytes = 0;
  for (auto round = state->rounds.rbegin(); round != state->rounds.rend(); ++round) {
    bytes += round->prompt.size();
    if (bytes > kMaxPromptBytes) round->prompt.clear();
  }
}

Json ToJson(const VerifyState& state) {
  Json json = {{"sessionId", state.id},
               {"options", ToJson(state.options)},
               {"targets", state.targets},
               {"exclude", state.exclude},
               {"requirements", state.requirements},
               {"files", Json::array()},
               {"issues", Json::array()},
               {"rounds", Json::array()},
               {"round", state.round},
               {"nextRole", std::string(ReviewRoleName(state.next_role))},
               {"replies", state.replies},
               {"fixes", state.fixes},
               {"otherTurns", state.other_turns},
               {"status", std::string(VerifyStatusName(state.status))},
               {"convergenceReason", state.convergence_reason},
               {"error", state.error},
               {"usage", ToJson(state.usage)},
               {"spent", absl::ToInt64Milliseconds(state.spent)}};
  for (const VerifyFile& file : state.files) json["files"].push_back(ToJson(file));
  for (const VerifyIssue& issue : state.issues) json["issues"].push_back(ToJson(issue));
  for (const VerifyRound& round : state.rounds) json["rounds"].push_back(ToJson(round));
  return json;
}

absl::StatusOr<VerifyState> VerifyStateFromJson(const Json& json) {
  VerifyState state;
  state.id = JsonString(json, "sessionId").value_or("");
  if (state.id.empty()) return Damaged("sessionId");
  const Json* const options = JsonMember(json, "options");
  if (options == nullptr || !options->is_object()) return Damaged("options");
  state.options = OptionsFromJson(*options);
  state.targets = Texts(json, "targets");
  state.exclude = Texts(json, "exclude");
  state.requirements = JsonString(json, "requirements").value_or("");
  STILE_RETURN_IF_ERROR(ReadList(json, "files", FileFromJson, &state.files));
  STILE_RETURN_IF_ERROR(ReadList(json, "issues", IssueFromJson, &state.issues));
  STILE_RETURN_IF_ERROR(ReadList(json, "rounds", RoundFromJson, &state.rounds));
  const auto round = JsonInt(json, "round");
  if (!round.has_value() || *round < 0 || *round > kMaxVerifyRounds) return Damaged("round");
  state.round = static_cast<int>(*round);
  state.next_role = RoleOf(json, "nextRole");
  state.replies = static_cast<int>(JsonInt(json, "replies").value_or(0));
  state.fixes = static_cast<int>(JsonInt(json, "fixes").value_or(0));
  state.other_turns = static_cast<int>(JsonInt(json, "otherTurns").value_or(0));
  const std::string status = JsonString(json, "status").value_or("");
  const auto* const found = std::find(std::begin(kStatuses), std::end(kStatuses), status);
  if (found == std::end(kStatuses)) return Damaged("status");
  state.status = static_cast<VerifyStatus>(found - std::begin(kStatuses));
  state.convergence_reason = JsonString(json, "convergenceReason").value_or("");
  state.error = JsonString(json, "error").value_or("");
  const Json* const usage = JsonMember(json, "usage");
  if (usage == nullptr || !usage->is_object()) return Damaged("usage");
  STILE_ASSIGN_OR_RETURN(state.usage, UsageFromJson(*usage));
  state.spent = absl::Milliseconds(JsonInt(json, "spent").value_or(0));
  return state;
}

Json ResultOf(const VerifyState& state) {
  size_t critical = 0;
  size_t high = 0;
  size_t resolved = 0;
  for (const VerifyIssue& issue : state.issues) {
    critical += issue.severity == IssueSeverity::kCritical ? 1 : 0;
    high += issue.severity == IssueSeverity::kHigh ? 1 : 0;
    resolved += issue.status == IssueStatus::kResolved ? 1 : 0;
  }
  Json json = {{"sessionId", state.id},
               {"status", std::string(VerifyStatusName(state.status))},
               {"totalRounds", state.round},
               {"duration", absl::ToInt64Milliseconds(state.spent)},
               {"issues",
                {{"total", state.issues.size()},
                 {"critical", critical},
                 {"high", high},
                 {"resolved", resolved}}},
               {"convergenceReason", state.convergence_reason}};
  if (!state.error.empty()) json["error"] = state.error;
  if (state.options.auto_consolidate && !state.issues.empty()) {
    json["consolidatedPlan"] = Consolidate(state.issues);
  }
  return json;
}

}  // namespace stile

#include "agents/api/verification_request.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

absl::Status Wrong(absl::string_view key, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(key, " has to be ", what));
}

template <typename T>
absl::Status ReadNumber(const Json& json, const char* key, T* value) {
  const Json* const member = JsonMember(json, key);
  if (member == nullptr) return absl::OkStatus();
  int number = 0;
  if (member->is_number_integer()) {
    const auto given = member->get<int64_t>();
    number = given > 0 && given <= 1'000'000 ? static_cast<int>(given) : 0;
  } else if (!member->is_string() || !absl::SimpleAtoi(member->get<std::string>(), &number)) {
    return Wrong(key, "a whole number");
  }
  if (number < 1 || number > 1'000'000) return Wrong(key, "at least 1, and not above its limit");
  *value = number;
  return absl::OkStatus();
}

template <typename T>
absl::Status ReadTruth(const Json& json, const char* key, T* value) {
  const Json* const member = JsonMember(json, key);
  if (member == nullptr) return absl::OkStatus();
  bool truth = false;
  if (member->is_boolean()) {
    truth = member->get<bool>();
  } else if (!member->is_string() || !absl::SimpleAtob(member->get<std::string>(), &truth)) {
    return Wrong(key, "true or false");
  }
  *value = truth;
  return absl::OkStatus();
}

absl::Status ReadTexts(const Json& json, const char* key, std::vector<std::string>* texts) {
  const Json* const member = JsonMember(json, key);
  if (member == nullptr) return absl::OkStatus();
  for (const Json& item : member->is_array() ? *member : Json::array({*member})) {
    if (!item.is_string()) return Wrong(key, "a text, or a list of texts");
    texts->push_back(item.get<std::string>());
  }
  return absl::OkStatus();
}

absl::Status ReadTargets(const Json& json, VerificationRequest* request) {
  const std::string folder = JsonString(json, "workingDir").value_or("");
  std::vector<std::string> paths;
  STILE_RETURN_IF_ERROR(ReadTexts(json, "target", &paths));
  if (paths.empty() && !folder.empty()) paths.emplace_back(".");
  for (const std::string& path : paths) {
    const bool is_as_is = folder.empty() || (!path.empty() && path[0] == '/');
    request->targets.push_back(is_as_is ? path : JoinPath(folder, path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VerificationRequest> VerificationRequestFromJson(const Json& json) {
  VerificationRequest request;
  STILE_RETURN_IF_ERROR(ReadTargets(json, &request));
  STILE_RETURN_IF_ERROR(ReadTexts(json, "exclude", &request.exclude));
  request.requirements = JsonString(json, "requirements").value_or("");
  VerifyOptions& options = request.options;
  STILE_RETURN_IF_ERROR(ReadNumber(json, "maxRounds", &options.max_rounds));
  // A caller who asks for fewer rounds than the default minimum means just that.
  options.min_rounds = std::min(options.min_rounds, options.max_rounds);
  STILE_RETURN_IF_ERROR(ReadNumber(json, "minRounds", &options.min_rounds));
  STILE_RETURN_IF_ERROR(ReadNumber(json, "maxTokens", &options.max_tokens));
  STILE_RETURN_IF_ERROR(ReadTruth(json, "stopOnCritical", &options.stop_on_critical));
  STILE_RETURN_IF_ERROR(ReadTruth(json, "autoConsolidate", &options.auto_consolidate));
  STILE_RETURN_IF_ERROR(ReadTruth(json, "fix", &request.fix));
  STILE_RETURN_IF_ERROR(CheckVerifyOptions(options));
  return request;
}

absl::StatusOr<VerificationChanges> VerificationChangesFromJson(const Json& json) {
  VerificationChanges changes;
  STILE_RETURN_IF_ERROR(ReadNumber(json, "maxRounds", &changes.max_rounds));
  STILE_RETURN_IF_ERROR(ReadNumber(json, "minRounds", &changes.min_rounds));
  STILE_RETURN_IF_ERROR(ReadNumber(json, "maxTokens", &changes.max_tokens));
  STILE_RETURN_IF_ERROR(ReadNumber(json, "fromRound", &changes.from_round));
  STILE_RETURN_IF_ERROR(ReadTruth(json, "stopOnCritical", &changes.stop_on_critical));
  STILE_RETURN_IF_ERROR(ReadTruth(json, "autoConsolidate", &changes.auto_consolidate));
  STILE_RETURN_IF_ERROR(ReadTruth(json, "fix", &changes.fix));
  return changes;
}

Json VerificationReport(const VerifyState& state) {
  Json report = ResultOf(state);
  report["openIssues"] = Json::array();
  for (const VerifyIssue& issue : state.issues) {
    if (issue.is_active()) report["openIssues"].push_back(ToJson(issue));
  }
  return report;
}

}  // namespace stile

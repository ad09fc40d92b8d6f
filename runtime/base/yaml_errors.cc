#include "runtime/base/yaml_errors.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

// The payload of a status with errors: a list of [file, line, column, path, message].
constexpr char kPayload[] = "stile/yaml_errors";

YamlError ReadError(const Json& entry) {
  return {entry.at(0).get<std::string>(), entry.at(1).get<int>(), entry.at(2).get<int>(),
          entry.at(3).get<std::string>(), entry.at(4).get<std::string>()};
}

}  // namespace

std::string YamlError::Text() const {
  std::string text;
  if (!file.empty()) text = absl::StrCat(file, line > 0 ? absl::StrCat(":", line) : "", ": ");
  if (!path.empty()) absl::StrAppend(&text, path, ": ");
  return absl::StrCat(text, message);
}

absl::Status StatusOfErrors(const std::vector<YamlError>& errors) {
  if (errors.empty()) return absl::OkStatus();
  Json payload = Json::array();
  for (const YamlError& error : errors) {
    payload.push_back(
        Json::array({error.file, error.line, error.column, error.path, error.message}));
  }
  absl::Status status = absl::InvalidArgumentError(absl::StrJoin(
      errors, "\n",
      [](std::string* out, const YamlError& error) { absl::StrAppend(out, error.Text()); }));
  status.SetPayload(kPayload, absl::Cord(DumpJson(payload)));
  return status;
}

std::vector<YamlError> ErrorsOfStatus(const absl::Status& status) {
  std::vector<YamlError> errors;
  if (status.ok()) return errors;
  if (const auto payload = status.GetPayload(kPayload)) {
    const auto parsed = ParseJson(std::string(*payload));
    for (const Json& entry : parsed.value_or(Json::array())) errors.push_back(ReadError(entry));
  }
  if (errors.empty()) errors.push_back({"", 0, 0, "", std::string(status.message())});
  return errors;
}

YamlErrors::YamlErrors(absl::string_view file) { files_[ToUtf8(file)] = 0; }

bool YamlErrors::Add(const absl::Status& status) {
  for (YamlError& error : ErrorsOfStatus(status)) {
    if (!error.file.empty()) files_.emplace(error.file, static_cast<int>(files_.size()));
    // Without a line the path is all that there is of a place.
    const std::string what = absl::StrCat(error.line > 0 ? "" : error.path, "\n", error.message);
    if (!seen_.emplace(error.file, error.line, error.column, what).second) continue;
    errors_.push_back(std::move(error));
  }
  return status.ok();
}

int YamlErrors::RankOf(const std::string& file) const {
  const auto found = files_.find(file);
  return found == files_.end() ? -1 : found->second;
}

std::vector<YamlError> YamlErrors::Sorted() const {
  std::vector<YamlError> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const YamlError& a, const YamlError& b) {
    return std::make_tuple(a.file.empty() ? -1 : RankOf(a.file), a.line, a.column) <
           std::make_tuple(b.file.empty() ? -1 : RankOf(b.file), b.line, b.column);
  });
  return sorted;
}

}  // namespace stile

#include "runtime/agent_loop/repetition.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/sha256.h"

namespace stile {
namespace {

bool IsPartOfNumber(char c) { return absl::ascii_isdigit(c) || c == '.'; }

// Whether `text`, which follows a number, begins with a unit of time.
bool BeginsWithUnit(absl::string_view text) {
  absl::ConsumePrefix(&text, " ");
  for (const absl::string_view unit : {"ns", "us", "ms", "seconds", "secs", "sec", "s"}) {
    if (!absl::StartsWith(text, unit)) continue;
    const absl::string_view rest = text.substr(unit.size());
    if (rest.empty() || !absl::ascii_isalnum(rest[0])) return true;
  }
  return false;
}

// Two results that differ in how long something took are the same result.
std::string WithoutDurations(absl::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsPartOfNumber(text[end])) ++end;
    if (end == i) {
      kept += text[i++];
      continue;
    }
    const bool is_duration = absl::EndsWith(kept, "durationMs\":") ||
                             absl::EndsWith(kept, "durationMs\": ") ||
                             BeginsWithUnit(text.substr(end));
    absl::StrAppend(&kept, is_duration ? absl::string_view("#") : text.substr(i, end - i));
    i = end;
  }
  return kept;
}

}  // namespace

int RepetitionDetector::Record(absl::string_view tool, const Json& arguments,
                               absl::string_view result, absl::string_view workspace_root_hash) {
  const std::string fingerprint = Sha256Hex(DumpJson(
      {std::string(tool), arguments, WithoutDurations(result), std::string(workspace_root_hash)}));
  times_ = fingerprint == last_ ? times_ + 1 : 1;
  last_ = fingerprint;
  return times_;
}

}  // namespace stile

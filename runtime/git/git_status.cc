#include "runtime/git/git_status.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

// The number of fields before the path; 0 for a kind that this command does not print.
size_t FieldsBeforePath(char kind) {
  switch (kind) {
    case '1':
      return 8;  // changed
    case 'u':
      return 10;  // in conflict
    case '?':
      return 1;  // untracked
    default:
      return 0;
  }
}

bool ReadEntry(absl::string_view line, std::vector<GitStatusEntry>* entries) {
  const size_t count = line.empty() ? 0 : FieldsBeforePath(line[0]);
  if (count == 0) return false;
  const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::MaxSplits(' ', count));
  if (fields.size() != count + 1 || fields[0].size() != 1 || fields.back().empty()) return false;
  std::string code(count == 1 ? "??" : fields[1]);
  if (code.size() != 2) return false;
  std::replace(code.begin(), code.end(), '.', ' ');
  entries->push_back({std::move(code), std::string(fields.back())});
  return true;
}

}  // namespace

absl::StatusOr<GitStatus> ParseGitStatus(absl::string_view text) {
  GitStatus status;
  for (absl::string_view line : absl::StrSplit(text, '\0', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&line, "# branch.oid ")) {
      if (line != "(initial)") status.commit = std::string(line);
    } else if (absl::ConsumePrefix(&line, "# branch.head ")) {
      if (line != "(detached)") status.branch = std::string(line);
    } else if (!absl::StartsWith(line, "# ") && !ReadEntry(line, &status.entries)) {
      return absl::InternalError("git status printed a line of an unknown form");
    }
  }
  return status;
}

}  // namespace stile

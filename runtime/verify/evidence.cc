#include "runtime/verify/evidence.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMinBytes = 5;  // of a line that counts
constexpr int kNear = 5;         // lines between a stated place and what is quoted

// Blanks at the ends gone, those between words one each.
std::string Folded(absl::string_view line) {
  std::string folded(line);
  absl::RemoveExtraAsciiWhitespace(&folded);
  return folded;
}

std::vector<std::string> FoldedLines(absl::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : SplitLines(text)) lines.push_back(Folded(line));
  return lines;
}

// Without the number that prompts show before a line.
absl::string_view WithoutNumber(absl::string_view line) {
  const absl::string_view start = absl::StripLeadingAsciiWhitespace(line);
  size_t digits = 0;
  while (digits < start.size() && absl::ascii_isdigit(static_cast<unsigned char>(start[digits]))) {
    ++digits;
  }
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(start.substr(digits));
  if (digits == 0 || rest.empty() || (rest[0] != '|' && rest[0] != ':')) return line;
  return rest.substr(1);
}

// A quoted line that counts, as the file can have it.
struct Quoted {
  std::string as_is;
  std::string without_number;
};

std::vector<Quoted> QuotedLines(absl::string_view evidence) {
  std::vector<Quoted> lines;
  for (const absl::string_view line : SplitLines(evidence)) {
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "```")) continue;
    Quoted quoted = {Folded(line), Folded(WithoutNumber(line))};
    if (quoted.without_number.size() >= kMinBytes) lines.push_back(std::move(quoted));
  }
  return lines;
}

bool IsOn(const Quoted& quoted, const std::string& line) {
  return absl::StrContains(line, quoted.without_number) || absl::StrContains(line, quoted.as_is);
}

// The line numbers of the file at which it stands.
std::vector<int> LinesWith(const Quoted& quoted, const std::vector<std::string>& file) {
  std::vector<int> found;
  for (size_t i = 0; i < file.size(); ++i) {
    if (IsOn(quoted, file[i])) found.push_back(static_cast<int>(i) + 1);
  }
  return found;
}

}  // namespace

absl::StatusOr<IssuePlace> FindEvidence(const IssuePlace& place, absl::string_view evidence,
                                        absl::string_view text) {
  const std::vector<Quoted> quoted = QuotedLines(evidence);
  if (quoted.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the evidence quotes no line of ", place.file,
                                                   " of ", kMinBytes, " characters or more"));
  }
  const std::vector<std::string> file = FoldedLines(text);
  std::vector<int> first;  // places of the first quoted line that the file has
  std::vector<int> all;
  size_t found = 0;
  for (const Quoted& line : quoted) {
    std::vector<int> numbers = LinesWith(line, file);
    if (numbers.empty()) continue;
    ++found;
    all.insert(all.end(), numbers.begin(), numbers.end());
    if (first.empty()) first = std::move(numbers);
  }
  if (found * 2 < quoted.size() || found == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(found, " of ", Count(quoted.size(), "quoted line"),
                     found == 1 ? " is" : " are", " in ", place.file));
  }
  if (place.first_line == 0) return place;
  const auto is_near = [&](int line) {
    return line >= place.first_line - kNear && line <= place.last_line + kNear;
  };
  const int lines = static_cast<int>(file.size());
  if (place.last_line <= lines && std::any_of(all.begin(), all.end(), is_near)) return place;
  const auto distance = [&](int line) { return std::abs(line - place.first_line); };
  const int nearest = *std::min_element(first.begin(), first.end(),
                                        [&](int a, int b) { return distance(a) < distance(b); });
  IssuePlace corrected = place;
  corrected.first_line = nearest;
  corrected.last_line = std::min(lines, nearest + static_cast<int>(quoted.size()) - 1);
  return corrected;
}

bool HasAllEvidence(absl::string_view evidence, absl::string_view text) {
  const std::vector<std::string> file = FoldedLines(text);
  for (const Quoted& line : QuotedLines(evidence)) {
    if (LinesWith(line, file).empty()) return false;
  }
  return true;
}

}  // namespace stile

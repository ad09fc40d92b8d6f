#include "runtime/verify/evidence.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMinBytes = 5;  // of a line that counts
constexpr size_t kMaxLines = 200;
constexpr size_t kMaxPlaces = 1000;  // of one line in a file
constexpr int kNear = 5;             // lines between a stated place and what is quoted

std::string WithoutBlanks(absl::string_view text) {
  std::string bare;
  bare.reserve(text.size());
  for (const char c : text) {
    if (!absl::ascii_isspace(static_cast<unsigned char>(c))) bare.push_back(c);
  }
  return bare;
}

// A file without blanks, and where its lines begin in that.
struct BareFile {
  std::string text;
  std::vector<size_t> starts;

  explicit BareFile(absl::string_view file) {
    for (const absl::string_view line : SplitLines(file)) {
      starts.push_back(text.size());
      text += WithoutBlanks(line);
    }
  }
  int LineAt(size_t offset) const {
    const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
    return static_cast<int>(next - starts.begin());
  }
  // The lines at which `quoted` begins, some of many.
  std::vector<int> LinesWith(const std::string& quoted) const {
    std::vector<int> found;
    for (size_t at = text.find(quoted); at != std::string::npos && found.size() < kMaxPlaces;
         at = text.find(quoted, at + 1)) {
      found.push_back(LineAt(at));
    }
    return found;
  }
};

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
    std::string folded(WithoutNumber(line));
    absl::RemoveExtraAsciiWhitespace(&folded);
    if (folded.size() < kMinBytes) continue;
    lines.push_back({WithoutBlanks(line), WithoutBlanks(folded)});
    if (lines.size() == kMaxLines) break;
  }
  return lines;
}

}  // namespace

absl::StatusOr<FoundEvidence> FindEvidence(const IssuePlace& place, absl::string_view evidence,
                                           absl::string_view text) {
  const std::vector<Quoted> quoted = QuotedLines(evidence);
  if (quoted.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the evidence quotes no line of ", place.file,
                                                   " of ", kMinBytes, " characters or more"));
  }
  const BareFile file(text);
  FoundEvidence found = {place, {}};
  std::vector<int> first;  // places of the first quoted line that the file has
  bool is_near = false;
  for (const Quoted& line : quoted) {
    std::string used = line.without_number;
    std::vector<int> numbers = file.LinesWith(used);
    if (numbers.empty()) {
      used = line.as_is;
      numbers = file.LinesWith(used);
    }
    if (numbers.empty()) continue;
    is_near = is_near || std::any_of(numbers.begin(), numbers.end(), [&](int number) {
                return number >= place.first_line - kNear && number <= place.last_line + kNear;
              });
    found.lines.push_back(std::move(used));
    if (first.empty()) first = std::move(numbers);
  }
  if (found.lines.size() * 2 < quoted.size() || found.lines.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(found.lines.size(), " of ", Count(quoted.size(), "quoted line"),
                     found.lines.size() == 1 ? " is" : " are", " in ", place.file));
  }
  const int lines = static_cast<int>(file.starts.size());
  if (place.first_line == 0 || (place.last_line <= lines && is_near)) return found;
  const auto distance = [&](int line) { return std::abs(line - place.first_line); };
  const int nearest = *std::min_element(first.begin(), first.end(),
                                        [&](int a, int b) { return distance(a) < distance(b); });
  found.place.first_line = nearest;
  found.place.last_line = std::min(lines, nearest + static_cast<int>(quoted.size()) - 1);
  return found;
}

std::vector<std::string> MissingLines(const std::vector<std::string>& lines,
                                      absl::string_view text) {
  const std::string bare = WithoutBlanks(text);
  std::vector<std::string> missing;
  for (const std::string& line : lines) {
    if (!absl::StrContains(bare, line)) missing.push_back(line);
  }
  return missing;
}

}  // namespace stile

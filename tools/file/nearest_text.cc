// Two passes. The first finds candidate places cheaply: lines equal but for blanks vote for the
// place at which the wanted text would start; where there are none, the most telling wanted line is
// compared with every line by the three-byte pieces they share. The second compares the best
// candidates line by line with edit distance. Every list has a bound, so a 10 MB file costs one
// pass and no more.
#include "tools/file/nearest_text.h"

#include <algorithm>
#include <bitset>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxCandidates = 12;
constexpr size_t kMaxComparedLines = 40;
constexpr size_t kMaxComparedBytes = 160;  // of a line
constexpr size_t kMaxVotesPerLine = 200;
constexpr double kPlausible = 0.4;

using Lines = std::vector<absl::string_view>;

Lines WantedLines(absl::string_view wanted) {
  Lines lines = SplitLines(wanted);
  const auto blank = [](absl::string_view line) {
    return absl::StripAsciiWhitespace(line).empty();
  };
  while (!lines.empty() && blank(lines.back())) lines.pop_back();
  return lines;
}

std::string WithoutBlanks(absl::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!absl::ascii_isspace(static_cast<unsigned char>(c))) result += c;
  }
  return result;
}

double LineSimilarity(absl::string_view a, absl::string_view b) {
  a = absl::StripAsciiWhitespace(a).substr(0, kMaxComparedBytes);
  b = absl::StripAsciiWhitespace(b).substr(0, kMaxComparedBytes);
  if (a == b) return 1;
  const size_t longer = std::max(a.size(), b.size());
  return 1 - static_cast<double>(EditDistance(a, b)) / static_cast<double>(longer);
}

// By the weight of the lines, so that braces and blank lines decide nothing.
double WindowSimilarity(const Lines& lines, size_t start, const Lines& wanted) {
  double sum = 0;
  double weights = 0;
  for (size_t i = 0; i < wanted.size() && i < kMaxComparedLines; ++i) {
    const double weight =
        1 + static_cast<double>(std::min(absl::StripAsciiWhitespace(wanted[i]).size(), size_t{60}));
    weights += weight;
    if (start + i < lines.size()) sum += weight * LineSimilarity(lines[start + i], wanted[i]);
  }
  return weights == 0 ? 0 : sum / weights;
}

// The keys of `scores` with the highest values, lower keys first among equals.
std::vector<size_t> Best(const std::unordered_map<size_t, size_t>& scores) {
  std::vector<std::pair<size_t, size_t>> sorted(scores.begin(), scores.end());
  const size_t count = std::min(sorted.size(), kMaxCandidates);
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
                    sorted.end(), [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second > b.second : a.first < b.first;
                    });
  std::vector<size_t> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(sorted[i].first);
  return keys;
}

std::vector<size_t> VotedStarts(const Lines& lines, const Lines& wanted) {
  std::unordered_map<std::string, std::vector<size_t>> offsets;  // of telling wanted lines
  for (size_t i = 0; i < wanted.size() && i < kMaxComparedLines; ++i) {
    std::string key(absl::StripAsciiWhitespace(wanted[i]));
    if (key.size() >= 4 && key.size() <= 4096) offsets[std::move(key)].push_back(i);
  }
  std::unordered_map<std::string, size_t> seen;
  std::unordered_map<size_t, size_t> votes;
  std::string key;
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view line = absl::StripAsciiWhitespace(lines[i]);
    if (line.size() < 4 || line.size() > 4096) continue;
    key.assign(line.data(), line.size());
    const auto found = offsets.find(key);
    if (found == offsets.end() || ++seen[key] > kMaxVotesPerLine) continue;
    for (const size_t offset : found->second) votes[i >= offset ? i - offset : 0] += line.size();
  }
  return Best(votes);
}

std::vector<size_t> SimilarStarts(const Lines& lines, const Lines& wanted) {
  const auto telling = std::max_element(wanted.begin(), wanted.end(), [](auto a, auto b) {
    return absl::StripAsciiWhitespace(a).size() < absl::StripAsciiWhitespace(b).size();
  });
  const size_t offset = static_cast<size_t>(telling - wanted.begin());
  const auto hash = [](const char* p) {
    return (static_cast<unsigned char>(p[0]) * 31u * 31u + static_cast<unsigned char>(p[1]) * 31u +
            static_cast<unsigned char>(p[2])) &
           4095u;
  };
  std::bitset<4096> pieces;
  const absl::string_view line = absl::StripAsciiWhitespace(*telling).substr(0, kMaxComparedBytes);
  for (size_t i = 0; i + 3 <= line.size(); ++i) pieces.set(hash(line.data() + i));
  std::unordered_map<size_t, size_t> scores;
  size_t floor = std::max<size_t>(1, pieces.count() / 4);
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view other =
        absl::StripAsciiWhitespace(lines[i]).substr(0, 4 * kMaxComparedBytes);
    size_t shared = 0;
    for (size_t k = 0; k + 3 <= other.size(); ++k) shared += pieces.test(hash(other.data() + k));
    const size_t alien = other.size() > line.size() ? (other.size() - line.size()) / 2 : 0;
    if (shared < floor + alien) continue;
    scores[i >= offset ? i - offset : 0] = shared - alien;
    if (scores.size() > 5000) {  // keep the best, and look only for better ones from here
      std::unordered_map<size_t, size_t> kept;
      for (const size_t start : Best(scores)) kept[start] = scores[start];
      for (const auto& [start, score] : kept) floor = std::max(floor, score);
      scores = std::move(kept);
    }
  }
  return Best(scores);
}

// Blanks made visible, cut to a readable length.
std::string Visible(absl::string_view line) {
  const bool cut = line.size() > kMaxComparedBytes;
  return absl::StrCat("`",
                      absl::StrReplaceAll(ToUtf8(line.substr(0, kMaxComparedBytes)),
                                          {{"\t", "\\t"}, {"\r", "\\r"}}),
                      cut ? "…" : "", "`");
}

std::string Hint(const Lines& lines, size_t start, const Lines& wanted) {
  size_t first = wanted.size();
  bool only_indentation = true;
  bool only_blanks = true;
  bool only_case = true;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const absl::string_view have =
        start + i < lines.size() ? lines[start + i] : absl::string_view();
    if (have == wanted[i]) continue;
    if (first == wanted.size()) first = i;
    only_indentation = only_indentation && absl::StripLeadingAsciiWhitespace(have) ==
                                               absl::StripLeadingAsciiWhitespace(wanted[i]);
    only_blanks = only_blanks && WithoutBlanks(have) == WithoutBlanks(wanted[i]);
    only_case = only_case && absl::EqualsIgnoreCase(have, wanted[i]);
  }
  if (first == wanted.size()) return "The lines are equal; the line breaks around them differ.";
  const absl::string_view kind = only_indentation ? "Only the indentation differs. "
                                 : only_blanks    ? "Only blanks differ. "
                                 : only_case      ? "Only upper and lower case differ. "
                                                  : "";
  const absl::string_view have =
      start + first < lines.size() ? lines[start + first] : absl::string_view();
  return absl::StrCat(kind, "First difference at line ", start + first + 1, ": the file has ",
                      Visible(have), ", oldText has ", Visible(wanted[first]), ".");
}

}  // namespace

std::optional<NearestText> FindNearestText(absl::string_view text, absl::string_view wanted) {
  const Lines lines = SplitLines(text);
  const Lines wanted_lines = WantedLines(wanted);
  if (lines.empty() || wanted_lines.empty()) return std::nullopt;
  std::vector<size_t> starts = VotedStarts(lines, wanted_lines);
  if (starts.empty()) starts = SimilarStarts(lines, wanted_lines);
  NearestText nearest;
  size_t best_start = 0;
  for (const size_t start : starts) {
    const double similarity = WindowSimilarity(lines, start, wanted_lines);
    if (similarity > nearest.similarity) {
      nearest.similarity = similarity;
      best_start = start;
    }
  }
  if (nearest.similarity < kPlausible) return std::nullopt;
  nearest.first_line = best_start + 1;
  nearest.last_line = std::min(lines.size(), best_start + wanted_lines.size());
  nearest.hint = Hint(lines, best_start, wanted_lines);
  return nearest;
}

}  // namespace stile

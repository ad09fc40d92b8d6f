#include "runtime/base/text.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace stile {
namespace {

// Length of the valid UTF-8 sequence at the start of `text`, 0 if there is none (RFC 3629).
size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;  // no surrogates
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Expands "{a,b}" into alternatives, so that the matcher below has only single-character choices.
// Bounded: patterns with more alternatives are taken literally from there on.
void ExpandBraces(const std::string& pattern, std::vector<std::string>* out) {
  constexpr size_t kMaxAlternatives = 256;
  const size_t open = pattern.find('{');
  if (open == std::string::npos || out->size() >= kMaxAlternatives) {
    out->push_back(pattern);
    return;
  }
  int depth = 0;
  std::vector<size_t> cuts = {open};
  for (size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '{') ++depth;
    if (pattern[i] == ',' && depth == 1) cuts.push_back(i);
    if (pattern[i] == '}' && --depth == 0) {
      cuts.push_back(i);
      for (size_t k = 0; k + 1 < cuts.size() && out->size() < kMaxAlternatives; ++k) {
        ExpandBraces(absl::StrCat(pattern.substr(0, open),
                                  pattern.substr(cuts[k] + 1, cuts[k + 1] - cuts[k] - 1),
                                  pattern.substr(i + 1)),
                     out);
      }
      return;
    }
  }
  out->push_back(pattern);  // never closed: literal
}

struct GlobToken {
  enum Kind { kLiteral, kAny, kStar, kDoubleStar, kSet } kind;
  char c = 0;
  absl::string_view set;
};

std::vector<GlobToken> Tokenize(absl::string_view pattern) {
  std::vector<GlobToken> tokens;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*') {
      size_t stars = 1;
      while (i + 1 < pattern.size() && pattern[i + 1] == '*') ++i, ++stars;
      if (stars == 1) {
        tokens.push_back({GlobToken::kStar});
        continue;
      }
      tokens.push_back({GlobToken::kDoubleStar});
      // "**/" also matches nothing at all.
      if (i + 1 < pattern.size() && pattern[i + 1] == '/') {
        tokens.back().c = '/';
        ++i;
      }
    } else if (c == '?') {
      tokens.push_back({GlobToken::kAny});
    } else if (c == '[' && pattern.find(']', i + 2) != absl::string_view::npos) {
      const size_t end = pattern.find(']', i + 2);
      tokens.push_back({GlobToken::kSet, 0, pattern.substr(i + 1, end - i - 1)});
      i = end;
    } else if (c == '\\' && i + 1 < pattern.size()) {
      tokens.push_back({GlobToken::kLiteral, pattern[++i]});
    } else {
      tokens.push_back({GlobToken::kLiteral, c});
    }
  }
  return tokens;
}

bool InSet(absl::string_view set, char c) {
  const bool negated = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (set[i] <= c && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != negated;
}

// One row of reachable pattern positions, moved over the path byte by byte.
bool MatchTokens(const std::vector<GlobToken>& tokens, absl::string_view path) {
  const size_t n = tokens.size();
  std::vector<char> now(n + 1, 0);
  std::vector<char> next(n + 1, 0);
  const auto close = [&](std::vector<char>* row) {  // stars may match nothing
    for (size_t t = 0; t < n; ++t) {
      const auto kind = tokens[t].kind;
      if ((*row)[t] && (kind == GlobToken::kStar || kind == GlobToken::kDoubleStar)) {
        (*row)[t + 1] = 1;
      }
    }
  };
  now[0] = 1;
  close(&now);
  for (const char c : path) {
    std::fill(next.begin(), next.end(), 0);
    for (size_t t = 0; t < n; ++t) {
      if (!now[t]) continue;
      switch (tokens[t].kind) {
        case GlobToken::kLiteral:
          if (tokens[t].c == c) next[t + 1] = 1;
          break;
        case GlobToken::kAny:
          if (c != '/') next[t + 1] = 1;
          break;
        case GlobToken::kSet:
          if (c != '/' && InSet(tokens[t].set, c)) next[t + 1] = 1;
          break;
        case GlobToken::kStar:
          if (c != '/') next[t] = 1;
          break;
        case GlobToken::kDoubleStar:
          // "**/x" must end a component before x: stay until a '/' has been read.
          if (tokens[t].c == '/') {
            next[t] = now[t];
          } else {
            next[t] = 1;
          }
          break;
      }
    }
    // Positions after "**/" open only at component starts.
    for (size_t t = 0; t < n; ++t) {
      if (!next[t]) continue;
      if (tokens[t].kind == GlobToken::kStar) next[t + 1] = 1;
      if (tokens[t].kind == GlobToken::kDoubleStar && (tokens[t].c != '/' || c == '/')) {
        next[t + 1] = 1;
      }
    }
    std::swap(now, next);
  }
  return now[n] != 0;
}

}  // namespace

std::vector<absl::string_view> SplitLines(absl::string_view text) {
  std::vector<absl::string_view> lines;
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = text.find('\n', start);
    if (end == absl::string_view::npos) {
      lines.push_back(text.substr(start));
      break;
    }
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<int> before(b.size() + 1);  // the row two above
  std::vector<int> above(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string Nearest(absl::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > 100) return "";
  std::string best;
  int best_distance = std::max<int>(1, static_cast<int>(word.size()) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const int distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ToUtf8(absl::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = Utf8Length(bytes);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
      bytes.remove_prefix(1);
    } else {
      result.append(bytes.data(), length);
      bytes.remove_prefix(length);
    }
  }
  return result;
}

std::string Base64Encode(absl::string_view bytes) { return absl::Base64Escape(bytes); }

absl::StatusOr<std::string> Base64Decode(absl::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape(text, &bytes)) return absl::InvalidArgumentError("not valid base64");
  return bytes;
}

std::string TruncateMiddle(absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  size_t head = max_bytes * 2 / 5;
  size_t tail = text.size() - (max_bytes - head);
  // Whole lines where a line end is near, else whole characters.
  if (const size_t end = text.rfind('\n', head); end != absl::string_view::npos && end > head / 2) {
    head = end + 1;
  } else {
    while (head > 0 && IsContinuation(text[head])) --head;
  }
  const size_t start = text.find('\n', tail);
  if (start != absl::string_view::npos && start - tail < (text.size() - tail) / 2) {
    tail = start + 1;
  } else {
    while (tail < text.size() && IsContinuation(text[tail])) ++tail;
  }
  const absl::string_view omitted = text.substr(head, tail - head);
  const auto lines = std::count(omitted.begin(), omitted.end(), '\n');
  return absl::StrCat(text.substr(0, head), head > 0 && text[head - 1] != '\n' ? "\n" : "", "[… ",
                      Count(static_cast<size_t>(lines), "line"), " (", omitted.size(),
                      " bytes) left out …]\n", text.substr(tail));
}

bool GlobMatch(absl::string_view pattern, absl::string_view path) {
  if (pattern.size() > 4096) return false;
  if (pattern.find('/') == absl::string_view::npos) {
    const size_t slash = path.rfind('/');
    if (slash != absl::string_view::npos) path.remove_prefix(slash + 1);
  }
  std::vector<std::string> alternatives;
  ExpandBraces(std::string(pattern), &alternatives);
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const std::string& alternative) {
    return MatchTokens(Tokenize(alternative), path);
  });
}

TextChange FindChange(absl::string_view before, absl::string_view after) {
  const auto shorter = static_cast<std::ptrdiff_t>(std::min(before.size(), after.size()));
  const auto prefix =
      std::mismatch(before.begin(), before.begin() + shorter, after.begin()).first - before.begin();
  const auto suffix =
      std::mismatch(before.rbegin(), before.rbegin() + (shorter - prefix), after.rbegin()).first -
      before.rbegin();
  return {static_cast<size_t>(prefix), before.size() - static_cast<size_t>(suffix),
          after.size() - static_cast<size_t>(suffix)};
}

std::string ShellQuoted(absl::string_view word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string Count(size_t n, absl::string_view noun) {
  return absl::StrCat(n, " ", noun, n == 1 ? "" : "s");
}

}  // namespace stile

// The reading and matching of single gitignore patterns. Where gitignore(5) is silent this follows
// what git does (dir.c, wildmatch.c); the test compares with `git check-ignore`.
#include "runtime/workspace/ignore_pattern.h"

#include <cctype>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

constexpr absl::string_view kWildcards = "*?[\\";
constexpr size_t kMaxPatternBytes = 4096;

bool InNamedClass(absl::string_view name, unsigned char c, bool* known) {
  static constexpr std::pair<const char*, int (*)(int)> kClasses[] = {
      {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
      {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
      {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
  for (const auto& [class_name, holds] : kClasses) {
    if (name != class_name) continue;
    *known = true;
    return holds(c) != 0;
  }
  *known = false;
  return false;
}

// One comparison of a pattern with a text. Positions from which matching failed are remembered, so
// no pattern makes it slow.
class Matcher {
 public:
  Matcher(absl::string_view pattern, absl::string_view text, bool path_mode)
      : pattern_(pattern), text_(text), path_mode_(path_mode) {}

  bool From(size_t p, size_t t) {
    for (; p < pattern_.size(); ++p, ++t) {
      const char c = pattern_[p];
      if (c == '*') return Star(p, t);
      if (t == text_.size()) return false;
      if (c == '?') {
        if (path_mode_ && text_[t] == '/') return false;
      } else if (c == '[') {
        if (!Set(&p, static_cast<unsigned char>(text_[t]))) return false;
      } else {
        if (c == '\\' && ++p == pattern_.size()) return false;
        if (text_[t] != pattern_[p]) return false;
      }
    }
    return t == text_.size();
  }

 private:
  // `p` is at the first '*'.
  bool Star(size_t p, size_t t) {
    const size_t first = p;
    while (p < pattern_.size() && pattern_[p] == '*') ++p;
    bool crosses = !path_mode_;
    if (path_mode_ && p - first > 1) {
      const bool slash_before = first == 0 || pattern_[first - 1] == '/';
      const absl::string_view rest = pattern_.substr(p);
      crosses = slash_before &&
                (rest.empty() || absl::StartsWith(rest, "/") || absl::StartsWith(rest, "\\/"));
      // "**/" also stands for no folder at all.
      if (crosses && absl::StartsWith(rest, "/") && Remembered(p + 1, t)) return true;
    }
    if (p == pattern_.size()) {
      return crosses || text_.substr(t).find('/') == absl::string_view::npos;
    }
    // A failure remembered here comes from this same star, begun earlier: it has tried the rest
    // too.
    for (; t <= text_.size() && !Failed(p, t); ++t) {
      if (Remembered(p, t)) return true;
      if (!crosses && t < text_.size() && text_[t] == '/') return false;
    }
    return false;
  }

  size_t Index(size_t p, size_t t) const { return p * (text_.size() + 1) + t; }
  bool Failed(size_t p, size_t t) const { return !failed_.empty() && failed_[Index(p, t)]; }

  bool Remembered(size_t p, size_t t) {
    if (failed_.empty()) failed_.resize((pattern_.size() + 1) * (text_.size() + 1));
    if (Failed(p, t)) return false;
    if (From(p, t)) return true;
    failed_[Index(p, t)] = true;
    return false;
  }

  // `*p` is at '['; moves it to the closing ']'. False when `c` is not in the set, or the set has
  // no end, or names an unknown class.
  bool Set(size_t* p, unsigned char c) const {
    size_t i = *p + 1;
    const bool negated = i < pattern_.size() && (pattern_[i] == '!' || pattern_[i] == '^');
    if (negated) ++i;
    bool matched = false;
    int previous = -1;  // the character that may begin a range
    for (bool first = true; first || At(i) != ']'; first = false, ++i) {
      int member = At(i);
      if (member < 0) return false;
      if (member == '\\') {
        member = At(++i);
        if (member < 0) return false;
        matched |= c == member;
      } else if (member == '-' && previous > 0 && At(i + 1) >= 0 && At(i + 1) != ']') {
        int last = At(++i);
        if (last == '\\') last = At(++i);
        if (last < 0) return false;
        matched |= previous <= c && c <= last;
        member = 0;  // a range does not begin another
      } else if (member == '[' && At(i + 1) == ':') {
        const size_t name = i + 2;
        const size_t end = pattern_.find(']', name);
        if (end == absl::string_view::npos) return false;
        if (end == name || pattern_[end - 1] != ':') {
          matched |= c == '[';
        } else {
          bool known = false;
          matched |= InNamedClass(pattern_.substr(name, end - 1 - name), c, &known);
          if (!known) return false;
          i = end;
          member = 0;
        }
      } else {
        matched |= c == member;
      }
      previous = member;
    }
    *p = i;
    return matched != negated && !(path_mode_ && c == '/');
  }

  int At(size_t i) const {
    return i < pattern_.size() ? static_cast<unsigned char>(pattern_[i]) : -1;
  }

  absl::string_view pattern_;
  absl::string_view text_;
  bool path_mode_;
  std::vector<bool> failed_;
};

// Blanks at the end do not count unless escaped.
absl::string_view TrimTrailingSpaces(absl::string_view line) {
  size_t end = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;
    if (i >= line.size()) return line;
    end = i + 1;
  }
  return line.substr(0, end);
}

IgnorePattern ParsePattern(absl::string_view line) {
  IgnorePattern pattern;
  pattern.negated = absl::ConsumePrefix(&line, "!");
  pattern.folders_only = absl::ConsumeSuffix(&line, "/");
  pattern.basename_only = line.find('/') == absl::string_view::npos;
  absl::ConsumePrefix(&line, "/");
  pattern.text = std::string(line);
  const size_t wildcard = line.find_first_of(kWildcards);
  pattern.literal_prefix = wildcard == absl::string_view::npos ? line.size() : wildcard;
  pattern.literal_suffix =
      absl::StartsWith(line, "*") && line.find_first_of(kWildcards, 1) == absl::string_view::npos;
  return pattern;
}

}  // namespace

bool WildMatch(absl::string_view pattern, absl::string_view text, bool path_mode) {
  return Matcher(pattern, text, path_mode).From(0, 0);
}

bool IgnorePattern::Matches(absl::string_view name, bool is_folder) const {
  if (folders_only && !is_folder) return false;
  if (basename_only) name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  if (literal_prefix == text.size()) return name == text;
  absl::string_view rest = text;
  if (basename_only) {
    if (literal_suffix) return absl::EndsWith(name, rest.substr(1));
    return absl::StartsWith(name, rest.substr(0, literal_prefix)) && WildMatch(rest, name, false);
  }
  if (!absl::ConsumePrefix(&name, rest.substr(0, literal_prefix))) return false;
  // Matching starts anew behind the prefix, as git has it: "a**/b" crosses folders.
  return WildMatch(rest.substr(literal_prefix), name, true);
}

std::vector<IgnorePattern> ParseIgnoreFile(absl::string_view text) {
  std::vector<IgnorePattern> patterns;
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");
  while (!text.empty()) {
    const size_t end = text.find('\n');
    absl::string_view line = text.substr(0, end);
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line[0] == '#') continue;
    absl::ConsumeSuffix(&line, "\r");
    line = TrimTrailingSpaces(line.substr(0, line.find('\0')));
    // An empty pattern matches nothing, and no path is long enough for a very long one.
    if (line.empty() || line == "!" || line == "/" || line == "!/") continue;
    if (line.size() > kMaxPatternBytes) continue;
    patterns.push_back(ParsePattern(line));
  }
  return patterns;
}

}  // namespace stile

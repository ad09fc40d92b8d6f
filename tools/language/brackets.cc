#include "tools/language/brackets.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {

absl::string_view TypeParametersAt(absl::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != '<' && text[at] != '[')) return "";
  const char open = text[at];
  const char close = open == '<' ? '>' : ']';
  int depth = 0;
  for (size_t end = at; end < text.size(); ++end) {
    if (text[end] == open) ++depth;
    if (text[end] == close && --depth == 0) return text.substr(at, end + 1 - at);
  }
  return "";
}

size_t SkipString(absl::string_view text, size_t at) {
  const char quote = text[at];
  if (quote == '\'') {
    // A lifetime of Rust: `<'a, 'b>`, `&'a str`.
    size_t end = at + 1;
    while (end < text.size() && IsIdentifierByte(text[end])) ++end;
    const absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, at));
    const bool can_be = !before.empty() && absl::StrContains("<&,+:", before.back());
    if (can_be && end > at + 1 && (end == text.size() || absl::StrContains("> ,:+", text[end])) &&
        (before.size() == at || before.back() == ',')) {
      return end;
    }
  }
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    } else if (text[i] == '\n' && quote != '`') {
      break;  // a lifetime, an apostrophe
    }
  }
  return at + 1;
}

bool IsIdentifier(absl::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), IsIdentifierByte);
}

size_t MatchingBracket(absl::string_view text, size_t open) {
  // A stack of what must close, so that depth costs no recursion.
  std::string expected;
  for (size_t i = open; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '`' || c == '\'') {
      i = SkipString(text, i);
      continue;
    }
    if (c == '(') expected.push_back(')');
    if (c == '[') expected.push_back(']');
    if (c == '{') expected.push_back('}');
    if (c == ')' || c == ']' || c == '}') {
      if (expected.empty() || expected.back() != c) return absl::string_view::npos;
      expected.pop_back();
      if (expected.empty()) return i;
    }
    ++i;
  }
  return absl::string_view::npos;
}

std::vector<std::string> SplitAtCommas(absl::string_view text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  ScanTop(text, /*angles=*/true, [&](size_t at) {
    if (text[at] == ',') {
      parts.push_back(std::string(absl::StripAsciiWhitespace(text.substr(begin, at - begin))));
      begin = at + 1;
    }
    return true;
  });
  const std::string last = std::string(absl::StripAsciiWhitespace(text.substr(begin)));
  if (!last.empty()) parts.push_back(last);
  return parts;
}

std::string ReplaceIdentifiers(
    absl::string_view text,
    const std::function<std::string(const std::string& word, char before)>& replace) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    if (!IsIdentifierByte(text[i])) {
      result.push_back(text[i++]);
      continue;
    }
    size_t end = i;
    while (end < text.size() && IsIdentifierByte(text[end])) ++end;
    const std::string word(text.substr(i, end - i));
    absl::StrAppend(&result, replace(word, i == 0 ? '\0' : text[i - 1]));
    i = end;
  }
  return result;
}

std::set<std::string> IdentifiersOf(absl::string_view text) {
  std::set<std::string> words;
  ReplaceIdentifiers(text, [&](const std::string& word, char before) {
    if (before != '.' && !absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) {
      words.insert(word);
    }
    return word;
  });
  return words;
}

}  // namespace stile

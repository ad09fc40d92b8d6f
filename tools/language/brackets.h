// Code taken apart by its brackets, strings and identifiers, where there is no tree yet.
#ifndef STILE_TOOLS_LANGUAGE_BRACKETS_H_
#define STILE_TOOLS_LANGUAGE_BRACKETS_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// The pieces of `text` between commas that lie in no brackets and no strings, without blanks
// around.
std::vector<std::string> SplitAtCommas(absl::string_view text);
// Where the bracket at `open` closes; npos if it does not. Strings are skipped.
size_t MatchingBracket(absl::string_view text, size_t open);
// "<T, in U>" or "[K comparable]" where one begins at `at`, with its brackets; else "".
absl::string_view TypeParametersAt(absl::string_view text, size_t at);
// A letter, '_' or '$', and what may follow it.
bool IsIdentifier(absl::string_view text);
// The string literal (or lifetime of Rust) that begins at `at` ends before the result.
size_t SkipString(absl::string_view text, size_t at);

// `text` with each identifier replaced by what `replace` gives for it; `before` is the byte in
// front of it, 0 at the beginning. Strings and comments are not looked for: meant for types.
std::string ReplaceIdentifiers(
    absl::string_view text,
    const std::function<std::string(const std::string& word, char before)>& replace);
std::set<std::string> IdentifiersOf(absl::string_view text);

// Calls `use` with each byte that lies in no bracket and no string, until it returns false; angle
// brackets count as brackets where `angles` is set.
template <typename Use>
void ScanTop(absl::string_view text, bool angles, const Use& use) {
  int angle_depth = 0;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '`' || (c == '\'' && i + 1 < text.size())) {
      i = SkipString(text, i);
      continue;
    }
    if (angles && c == '<') ++angle_depth;
    if (angles && c == '>' && angle_depth > 0 && (i == 0 || text[i - 1] != '-')) --angle_depth;
    if (angle_depth == 0 && !use(i)) return;
    if (c == '(' || c == '[' || c == '{') {
      const size_t close = MatchingBracket(text, i);
      if (close == absl::string_view::npos) return;
      i = close + 1;
    } else {
      ++i;
    }
  }
}

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_BRACKETS_H_

// Regular expressions over the string views of this project, which RE2 does not take.
#ifndef STILE_VALIDATORS_INTEGRITY_PATTERN_H_
#define STILE_VALIDATORS_INTEGRITY_PATTERN_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"

namespace stile {

// Whether a part of `text` matches; groups go to `found`.
template <typename... Found>
bool Finds(absl::string_view text, const RE2& pattern, Found*... found) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern, found...);
}

// Whether all of `text` matches.
template <typename... Found>
bool Matches(absl::string_view text, const RE2& pattern, Found*... found) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern, found...);
}

// Whether the word stands in the text, with no part of a word beside it.
inline bool HoldsWord(absl::string_view text, const std::string& word) {
  return Finds(text, RE2(absl::StrCat("(^|[^\\w])", RE2::QuoteMeta(word), "($|[^\\w])")));
}

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_PATTERN_H_

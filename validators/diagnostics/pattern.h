#ifndef STILE_VALIDATORS_DIAGNOSTICS_PATTERN_H_
#define STILE_VALIDATORS_DIAGNOSTICS_PATTERN_H_

#include <string>

#include "absl/strings/string_view.h"
#include "re2/re2.h"

namespace stile {

// A regular expression over bytes: output need not be UTF-8. Linear time. Immutable, thread-safe.
class Pattern {
 public:
  explicit Pattern(const char* expression) : expression_(expression, RE2::Latin1) {}

  // Whether all of `text` matches; the groups go to `captures` (std::string*), which stay as they
  // were if not.
  template <typename... Capture>
  bool Matches(absl::string_view text, Capture*... captures) const {
    return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression_, captures...);
  }
  // Whether a part of `text` matches.
  template <typename... Capture>
  bool IsIn(absl::string_view text, Capture*... captures) const {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), expression_, captures...);
  }
  // `text` without the parts that match.
  std::string Without(absl::string_view text) const {
    std::string result(text);
    RE2::GlobalReplace(&result, expression_, "");
    return result;
  }

 private:
  RE2 expression_;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_PATTERN_H_

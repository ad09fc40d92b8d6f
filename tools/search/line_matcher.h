#ifndef STILE_TOOLS_SEARCH_LINE_MATCHER_H_
#define STILE_TOOLS_SEARCH_LINE_MATCHER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace re2 {
class RE2;
}

namespace stile {

// A pattern that is looked for in lines. RE2 syntax, so time is linear in the text whatever the
// pattern.
class LineMatcher {
 public:
  // A pattern that is no valid regular expression is taken literally; see problem().
  LineMatcher(absl::string_view pattern, bool case_sensitive, bool literal);
  ~LineMatcher();

  bool literal() const { return literal_; }
  // Why the pattern is no regular expression; "" if it is one.
  const std::string& problem() const { return problem_; }
  // Whether a literal search would look for something else.
  bool has_operators() const { return has_operators_; }

  // The first match in `line`: its start and length.
  bool Find(absl::string_view line, size_t* start, size_t* length) const;

 private:
  std::unique_ptr<re2::RE2> regex_;
  bool literal_ = false;
  bool has_operators_ = false;
  std::string problem_;
};

}  // namespace stile

#endif  // STILE_TOOLS_SEARCH_LINE_MATCHER_H_

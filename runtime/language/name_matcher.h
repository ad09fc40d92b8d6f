#ifndef STILE_RUNTIME_LANGUAGE_NAME_MATCHER_H_
#define STILE_RUNTIME_LANGUAGE_NAME_MATCHER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Many globs asked about many paths: whole names and "*.ext", nearly all of them, cost one look-up
// each however many there are; only the rest goes through GlobMatch. Immutable once filled.
class NameMatcher {
 public:
  // `tag` is what Match returns. Alternatives "{a,b}" are expanded.
  void Add(absl::string_view glob, int tag);
  // The tags of all globs that match `path`, sorted, each once.
  std::vector<int> Match(absl::string_view path) const;

 private:
  struct Glob {
    std::string pattern;
    std::string suffix;  // literal end, which a path must have
    int tag;
  };
  std::map<std::string, std::vector<int>, std::less<>> by_name_;
  std::map<std::string, std::vector<int>, std::less<>> by_extension_;  // with the dot
  std::vector<Glob> globs_;
};

// "{a,b}.{c,d}" → a.c, a.d, b.c, b.d. Nested or unclosed braces, and more than 64 results, are left
// as they are.
std::vector<std::string> ExpandAlternatives(absl::string_view glob);

}  // namespace stile

#endif  // STILE_RUNTIME_LANGUAGE_NAME_MATCHER_H_

#ifndef STILE_RUNTIME_WORKSPACE_IGNORE_PATTERN_H_
#define STILE_RUNTIME_WORKSPACE_IGNORE_PATTERN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// One line of a .gitignore file.
struct IgnorePattern {
  std::string text;  // without the "!", the leading '/' and the trailing '/'
  bool negated = false;
  bool folders_only = false;
  bool basename_only = false;   // had no '/': holds at any depth
  size_t literal_prefix = 0;    // bytes before the first wildcard
  bool literal_suffix = false;  // "*" and then no wildcard

  // `name` is the path relative to the folder of the .gitignore file.
  bool Matches(absl::string_view name, bool is_folder) const;
};

// The patterns of a .gitignore file, in order.
std::vector<IgnorePattern> ParseIgnoreFile(absl::string_view text);

// Git's wildmatch. With `path_mode`, '*', '?' and sets stay within a component and "**" between
// slashes crosses them. At most the product of both lengths in steps.
bool WildMatch(absl::string_view pattern, absl::string_view text, bool path_mode);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_IGNORE_PATTERN_H_

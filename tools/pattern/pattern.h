#ifndef STILE_TOOLS_PATTERN_PATTERN_H_
#define STILE_TOOLS_PATTERN_PATTERN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// A recipe: how a kind of work is best done, for agents to read when they meet it.
struct CodingPattern {
  std::string name;
  std::string description;  // one line
  std::string text;
};

// Markdown with front matter {name, description}. InvalidArgument with file and line.
absl::StatusOr<CodingPattern> ParseCodingPattern(absl::string_view text, absl::string_view file);

}  // namespace stile

#endif  // STILE_TOOLS_PATTERN_PATTERN_H_

#ifndef STILE_TOOLS_FILE_NEAREST_TEXT_H_
#define STILE_TOOLS_FILE_NEAREST_TEXT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// The lines of a text that are most like what was looked for.
struct NearestText {
  size_t first_line = 0;  // 1-based
  size_t last_line = 0;
  double similarity = 0;  // 0 … 1
  // The first line that differs, both ways, and the kind of difference where it is a usual one
  // ("Only the indentation differs").
  std::string hint;
};

// Nothing when no place is plausible. Time is linear in `text`, with a bounded number of closer
// looks.
std::optional<NearestText> FindNearestText(absl::string_view text, absl::string_view wanted);

}  // namespace stile

#endif  // STILE_TOOLS_FILE_NEAREST_TEXT_H_

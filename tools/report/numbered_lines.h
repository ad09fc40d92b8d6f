#ifndef STILE_TOOLS_REPORT_NUMBERED_LINES_H_
#define STILE_TOOLS_REPORT_NUMBERED_LINES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// `lines` with their numbers, each line cut to `max_line_bytes`; U+FFFD for what is not UTF-8.
// "  12\tcode\n".
std::string NumberedLines(const std::vector<absl::string_view>& lines, size_t first_number,
                          size_t max_line_bytes);

}  // namespace stile

#endif  // STILE_TOOLS_REPORT_NUMBERED_LINES_H_

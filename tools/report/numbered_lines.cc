#include "tools/report/numbered_lines.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"

namespace stile {

std::string NumberedLines(const std::vector<absl::string_view>& lines, size_t first_number,
                          size_t max_line_bytes) {
  const size_t width = absl::StrCat(first_number + lines.size()).size();
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::string_view line = absl::StripSuffix(lines[i], "\r");
    std::string rest;
    if (line.size() > max_line_bytes) {
      size_t end = max_line_bytes;
      while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
      rest = absl::StrCat(" [… ", line.size() - end, " more bytes in this line]");
      line = line.substr(0, end);
    }
    absl::StrAppendFormat(&text, "%*d\t%s%s\n", static_cast<int>(width), first_number + i,
                          ToUtf8(line), rest);
  }
  return text;
}

}  // namespace stile

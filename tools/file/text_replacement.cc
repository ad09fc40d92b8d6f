#include "tools/file/text_replacement.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"

namespace stile {
namespace {

struct Range {
  size_t start;
  size_t end;
};

std::vector<Range> FindAll(const std::string& text, const std::string& wanted) {
  std::vector<Range> found;
  for (size_t at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + wanted.size())) {
    found.push_back({at, at + wanted.size()});
  }
  return found;
}

std::string ToLf(const std::string& text) { return absl::StrReplaceAll(text, {{"\r\n", "\n"}}); }

// As FindAll, with CRLF and LF taken as equal; ranges of `text` as it is.
std::vector<Range> FindAllAnyEnding(const std::string& text, const std::string& wanted) {
  std::vector<Range> found = FindAll(ToLf(text), ToLf(wanted));
  // The positions in `text` follow from the carriage returns that were dropped before them.
  size_t original = 0;
  size_t reduced = 0;
  const auto move_to = [&](size_t target) {
    while (reduced < target) {
      if (text[original] == '\r' && original + 1 < text.size() && text[original + 1] == '\n') {
        ++original;
      }
      ++original;
      ++reduced;
    }
    return original;
  };
  for (Range& range : found) {
    range.start = move_to(range.start);
    range.end = move_to(range.end);
  }
  return found;
}

bool UsesCrlf(absl::string_view text) {
  const auto newlines = std::count(text.begin(), text.end(), '\n');
  std::ptrdiff_t crlf = 0;
  for (size_t at = text.find("\r\n"); at != absl::string_view::npos;
       at = text.find("\r\n", at + 2)) {
    ++crlf;
  }
  return crlf * 2 > newlines;
}

}  // namespace

TextReplacement ReplaceText(const std::string& text, const std::string& old_text,
                            const std::string& new_text) {
  std::vector<Range> ranges = FindAll(text, old_text);
  const bool exact = !ranges.empty();
  if (!exact && (absl::StrContains(text, "\r\n") || absl::StrContains(old_text, "\r\n"))) {
    ranges = FindAllAnyEnding(text, old_text);
  }
  TextReplacement result;
  if (ranges.empty()) {
    result.content = text;
    return result;
  }
  const bool file_crlf = UsesCrlf(text);
  const std::string lf_text = ToLf(new_text);
  const std::string crlf_text = absl::StrReplaceAll(lf_text, {{"\n", "\r\n"}});
  size_t copied = 0;
  size_t line = 1;
  for (const Range& range : ranges) {
    const absl::string_view before = absl::string_view(text).substr(copied, range.start - copied);
    const absl::string_view old =
        absl::string_view(text).substr(range.start, range.end - range.start);
    line += static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    result.lines.push_back(line);
    line += static_cast<size_t>(std::count(old.begin(), old.end(), '\n'));
    result.content.append(before.data(), before.size());
    const bool crlf = absl::StrContains(old, '\n') ? UsesCrlf(old) : file_crlf;
    // Carriage returns that the caller wrote on purpose stay, where the old text matched as given.
    result.content += crlf ? crlf_text : exact ? new_text : lf_text;
    copied = range.end;
  }
  result.content.append(text, copied, std::string::npos);
  return result;
}

}  // namespace stile

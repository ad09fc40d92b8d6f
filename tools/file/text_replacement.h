#ifndef STILE_TOOLS_FILE_TEXT_REPLACEMENT_H_
#define STILE_TOOLS_FILE_TEXT_REPLACEMENT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

struct TextReplacement {
  std::string content;        // the whole new text
  std::vector<size_t> lines;  // 1-based line of each occurrence, in the old text, ascending
};

// Replaces the occurrences of `old_text` (not empty), which do not overlap, from the start. Bytes
// must match exactly, but for line endings: where `old_text` is not found as it is, CRLF and LF are
// taken as equal. New text gets the line endings of the place it is put in. Everything else, a
// byte-order mark or a missing final newline included, stays. Without an occurrence `lines` is
// empty and `content` is `text`.
TextReplacement ReplaceText(const std::string& text, const std::string& old_text,
                            const std::string& new_text);

}  // namespace stile

#endif  // STILE_TOOLS_FILE_TEXT_REPLACEMENT_H_

#include "tools/resolve/lsp_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// UTF-16 code units of the character that begins with `lead`.
size_t Utf16Units(char lead) { return static_cast<unsigned char>(lead) >= 0xF0 ? 2 : 1; }

}  // namespace

std::string HoverText(const Json& contents) {
  if (contents.is_string()) return contents.get<std::string>();
  if (contents.is_object()) {
    const std::string value = JsonString(contents, "value").value_or("");
    const auto language = JsonString(contents, "language");
    return language.has_value() ? absl::StrCat("```", *language, "\n", value, "\n```") : value;
  }
  std::string text;
  if (!contents.is_array()) return text;
  for (const Json& part : contents) {
    if (part.is_array()) continue;  // no list has lists
    absl::StrAppend(&text, text.empty() ? "" : "\n\n", HoverText(part));
  }
  return text;
}

LspLines::LspLines(absl::string_view text, PositionEncoding encoding)
    : text_(text), encoding_(encoding), starts_({0}) {
  // Most files have no carriage return, and memchr finds the rest faster.
  const absl::string_view ends = absl::StrContains(text, '\r') ? "\r\n" : "\n";
  for (size_t i = text.find_first_of(ends); i != absl::string_view::npos;
       i = text.find_first_of(ends, i + 1)) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!is_pair) starts_.push_back(i + 1);
  }
}

Json LspLines::PositionOf(size_t offset) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<size_t>(next - starts_.begin()) - 1;
  size_t character = offset - starts_[line];
  if (encoding_ == PositionEncoding::kUtf16) {
    character = 0;
    for (size_t i = starts_[line]; i < offset; ++i) {
      if (!IsContinuation(text_[i])) character += Utf16Units(text_[i]);
    }
  }
  return {{"line", line}, {"character", character}};
}

absl::StatusOr<uint32_t> LspLines::OffsetOf(const Json& position) const {
  const int64_t line = JsonInt(position, "line").value_or(-1);
  const int64_t character = JsonInt(position, "character").value_or(-1);
  const auto lines = static_cast<int64_t>(starts_.size());
  // The end of the text may be given as the line after the last one.
  if (line == lines && character == 0) return static_cast<uint32_t>(text_.size());
  if (line < 0 || character < 0 || line >= lines) {
    return absl::DataLossError(absl::StrCat("it names line ", line + 1, " of a file with ", lines));
  }
  const auto index = static_cast<size_t>(line);
  size_t end = index + 1 < starts_.size() ? starts_[index + 1] : text_.size();
  while (end > starts_[index] && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  size_t offset = starts_[index];
  auto left = static_cast<size_t>(character);
  while (left > 0 && offset < end) {
    const size_t units = encoding_ == PositionEncoding::kUtf8 ? 1 : Utf16Units(text_[offset]);
    if (units > left) break;
    left -= units;
    ++offset;
    if (encoding_ == PositionEncoding::kUtf8) continue;
    while (offset < end && IsContinuation(text_[offset])) ++offset;
  }
  // The protocol lets a character behind the end of a line mean the end.
  const bool is_inside = offset < end && (left > 0 || IsContinuation(text_[offset]));
  if (is_inside) {
    return absl::DataLossError(
        absl::StrCat("it names the middle of a character in line ", line + 1));
  }
  return static_cast<uint32_t>(offset);
}

}  // namespace stile

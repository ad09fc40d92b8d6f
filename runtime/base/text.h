// Small operations on text that several rooms share.
#ifndef STILE_RUNTIME_BASE_TEXT_H_
#define STILE_RUNTIME_BASE_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// The lines of `text` without their "\n" (a "\r" stays). "a\nb" and "a\nb\n" both have two lines.
// The pieces point into `text`.
std::vector<absl::string_view> SplitLines(absl::string_view text);

// Levenshtein distance over bytes, where swapping two neighbours is one edit too.
int EditDistance(absl::string_view a, absl::string_view b);

// The candidate closest to `word`, if it is close enough to be a plausible slip; else "".
std::string Nearest(absl::string_view word, const std::vector<std::string>& candidates);

bool IsUtf8(absl::string_view text);
// Replaces every invalid byte with U+FFFD.
std::string ToUtf8(absl::string_view bytes);

std::string Base64Encode(absl::string_view bytes);
absl::StatusOr<std::string> Base64Decode(absl::string_view text);

// Keeps the first and last part of `text` when it has more than `max_bytes`, on line boundaries
// where there are any near, never inside a UTF-8 sequence, with a line between them that says how
// much was left out: "[… 123 lines (4567 bytes) left out …]".
std::string TruncateMiddle(absl::string_view text, size_t max_bytes);

// What may be part of an identifier in some language; all of UTF-8 beyond ASCII counts.
inline bool IsIdentifierByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' || byte >= 0x80;
}

// Glob match over a path with '/' separators: '*' and '?' stay within a component, '**' crosses,
// '[…]' sets, '{a,b}' alternatives. A pattern without '/' matches the last component. Linear in the
// product of both lengths; never backtracks exponentially.
bool GlobMatch(absl::string_view pattern, absl::string_view path);

// The smallest piece of `before`, [begin, before_end), in whose place `after` has another, [begin,
// after_end).
struct TextChange {
  size_t begin = 0;
  size_t before_end = 0;
  size_t after_end = 0;
};
TextChange FindChange(absl::string_view before, absl::string_view after);

// As one word of a POSIX shell, whatever it holds.
std::string ShellQuoted(absl::string_view word);

// "1 file", "2 files".
std::string Count(size_t n, absl::string_view noun);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_TEXT_H_

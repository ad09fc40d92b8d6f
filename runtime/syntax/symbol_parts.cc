#include "runtime/syntax/symbol_parts.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace stile {
namespace {

constexpr size_t kMaxPathBytes = 1024;

}  // namespace

absl::string_view TextIn(ByteRange range, absl::string_view text) {
  return text.substr(range.begin, range.end - range.begin);
}

std::string PathOf(absl::string_view written) {
  written = written.substr(0, kMaxPathBytes);
  std::string path;
  int depth = 0;
  for (const char c : written) {
    if (c == '>' || c == ']' || c == ')') depth -= depth > 0 ? 1 : 0;
    if (depth == 0 && c != '>' && c != ']' && c != ')' && c != '<' && c != '[' && c != '(') {
      path.push_back(c);
    }
    if (c == '<' || c == '[' || c == '(') ++depth;
  }
  absl::StrReplaceAll({{"::", "."}, {"*", " "}, {"&", " "}}, &path);
  absl::string_view trimmed = absl::StripAsciiWhitespace(path);
  trimmed = trimmed.substr(trimmed.find_last_of(" \t\r\n") + 1);
  while (!trimmed.empty() && trimmed.front() == '.') trimmed.remove_prefix(1);
  while (!trimmed.empty() && trimmed.back() == '.') trimmed.remove_suffix(1);
  // `impl Buf for &mut [u8]` of Rust: what the slice is made of.
  const size_t open = written.find('[');
  const size_t close = written.rfind(']');
  if ((trimmed.empty() || trimmed == "mut") && open < close && close != absl::string_view::npos) {
    const absl::string_view inside = written.substr(open + 1, close - open - 1);
    return PathOf(inside.substr(0, inside.find(';')));
  }
  return std::string(trimmed);
}

std::string LastComponent(const std::string& path) {
  return path.substr(path.find_last_of('.') + 1);
}

std::string JoinPath(const std::string& outer, const std::string& inner) {
  if (outer.empty() || inner.empty()) return outer.empty() ? inner : outer;
  std::string joined = absl::StrCat(outer, ".", inner);
  if (joined.size() > kMaxPathBytes) joined.resize(kMaxPathBytes);
  return joined;
}

DeclarationPrefixes::Found DeclarationPrefixes::Before(uint32_t begin) {
  if (begin == last_begin_) return last_;
  Found found{begin, {}};
  auto next =
      std::upper_bound(prefixes_.begin(), prefixes_.end(), begin,
                       [](uint32_t at, const auto& prefix) { return at <= prefix.range.begin; });
  uint32_t at = begin;
  while (next != prefixes_.begin()) {
    const SymbolCaptures::Prefix& prefix = *--next;
    uint32_t end = prefix.range.end;  // line comments may hold their line break
    while (end > prefix.range.begin && absl::ascii_isspace(text_[end - 1])) --end;
    if (end > at || !IsNear(end, at)) break;
    if (prefix.is_comment) {
      if (!BeginsLine(prefix.range.begin)) break;
      if (found.doc.empty()) found.doc.end = end;
      found.doc.begin = prefix.range.begin;
    } else {
      found.begin = prefix.range.begin;
    }
    at = prefix.range.begin;
  }
  last_begin_ = begin;
  last_ = found;
  return found;
}

// Nothing but blanks and one line break between.
bool DeclarationPrefixes::IsNear(uint32_t end, uint32_t at) const {
  int lines = 0;
  while (at > end) {
    const char c = text_[--at];
    if (!absl::ascii_isspace(c)) return false;
    if (c == '\n' && ++lines > 1) return false;
  }
  return true;
}

bool DeclarationPrefixes::BeginsLine(uint32_t at) const {
  while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
  return at == 0 || text_[at - 1] == '\n' || text_[at - 1] == '\r';
}

}  // namespace stile

#include "tools/refactor/pasted_names.h"

#include <cstddef>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

// The end of the line at `begin`, with the lines after it that a backslash continues.
size_t DirectiveEnd(absl::string_view text, size_t begin) {
  while (true) {
    const size_t newline = text.find('\n', begin);
    if (newline == absl::string_view::npos) return text.size();
    if (!absl::EndsWith(absl::StripSuffix(text.substr(0, newline), "\r"), "\\")) return newline;
    begin = newline + 1;
  }
}

// The parameters of `#define NAME(a, b) …`; false: the directive defines no macro.
bool ReadParameters(absl::string_view directive, std::set<absl::string_view>* parameters) {
  directive = absl::StripLeadingAsciiWhitespace(directive);
  if (!absl::ConsumePrefix(&directive, "#")) return false;
  directive = absl::StripLeadingAsciiWhitespace(directive);
  if (!absl::ConsumePrefix(&directive, "define")) return false;
  directive = absl::StripLeadingAsciiWhitespace(directive);
  while (!directive.empty() && IsIdentifierByte(directive[0])) directive.remove_prefix(1);
  if (!absl::ConsumePrefix(&directive, "(")) return true;
  for (const absl::string_view part :
       absl::StrSplit(directive.substr(0, directive.find(')')), ',')) {
    parameters->insert(absl::StripAsciiWhitespace(part));
  }
  return true;
}

// Adds the parts in one directive, which begins at `begin`.
void AddParts(absl::string_view text, size_t begin, size_t end, absl::string_view name,
              std::vector<uint32_t>* found) {
  const absl::string_view directive = text.substr(begin, end - begin);
  if (!absl::StrContains(directive, "##")) return;
  std::set<absl::string_view> parameters;
  if (!ReadParameters(directive, &parameters)) return;
  const auto is_part = [&](absl::string_view part) {
    return !part.empty() && part.size() < name.size() && parameters.count(part) == 0;
  };
  for (size_t at = begin; (at = text.find("##", at)) < end; at += 2) {
    size_t before_end = at;
    while (before_end > begin && text[before_end - 1] == ' ') --before_end;
    size_t before = before_end;
    while (before > begin && IsIdentifierByte(text[before - 1])) --before;
    size_t after = at + 2;
    while (after < end && text[after] == ' ') ++after;
    size_t after_end = after;
    while (after_end < end && IsIdentifierByte(text[after_end])) ++after_end;
    const absl::string_view left = text.substr(before, before_end - before);
    const absl::string_view right = text.substr(after, after_end - after);
    if (is_part(left) && absl::StartsWith(name, left)) {
      found->push_back(static_cast<uint32_t>(before));
    } else if (is_part(right) && absl::EndsWith(name, right)) {
      found->push_back(static_cast<uint32_t>(after));
    }
  }
}

}  // namespace

std::vector<uint32_t> FindPastedNames(absl::string_view text, absl::string_view name) {
  std::vector<uint32_t> found;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = DirectiveEnd(text, begin);
    AddParts(text, begin, end, name, &found);
    begin = end + 1;
  }
  return found;
}

}  // namespace stile

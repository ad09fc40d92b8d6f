#include "tools/extract/hover_type.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

// The code of the first fence; without one, the text itself.
absl::string_view CodeOf(absl::string_view hover) {
  const size_t fence = hover.find("```");
  if (fence == absl::string_view::npos) return hover;
  const size_t begin = hover.find('\n', fence);
  if (begin == absl::string_view::npos) return "";
  const size_t end = hover.find("```", begin);
  return hover.substr(begin + 1, end == absl::string_view::npos ? end : end - begin - 1);
}

}  // namespace

std::string TypeInHover(const LanguageFacts& facts, absl::string_view hover) {
  absl::string_view code = absl::StripAsciiWhitespace(CodeOf(hover));
  // "(method) ", "(getter) "
  const size_t kind = absl::StartsWith(code, "(") ? code.find(") ") : absl::string_view::npos;
  if (kind != absl::string_view::npos) code.remove_prefix(kind + 2);
  if (absl::StrContains(code, "...") && facts.has_rest_parameters) {
    const size_t rest = code.find("...");
    // Of a rest parameter, which has a name behind it; else the server cut the text.
    if (rest + 3 >= code.size() || code[rest + 3] == ' ' || code[rest + 3] == '.') return "";
  }
  const size_t open = code.find('(');
  const size_t colon = code.find(": ");
  absl::string_view type;
  if (open != absl::string_view::npos && (colon == absl::string_view::npos || open < colon)) {
    const size_t close = MatchingBracket(code, open);
    if (close == absl::string_view::npos) return "";
    type = code.substr(close + 1);
    // The text continues with further overloads.
    if (absl::StrContains(type, "(+")) return "";
    if (!absl::ConsumePrefix(&type, facts.result_mark)) return "";
  } else if (colon != absl::string_view::npos) {
    type = code.substr(colon + 2);
  }
  if (absl::StrContains(type, "\n") || absl::StrContains(type, "import(")) return "";
  return std::string(absl::StripAsciiWhitespace(type));
}

}  // namespace stile

#include "tools/refactor/page_scripts.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace stile {
namespace {

bool IsCode(absl::string_view attribute) {
  for (const absl::string_view start : {"on", "@", ":", "v-", "ng-"}) {
    if (absl::StartsWithIgnoreCase(attribute, start)) return true;
  }
  return false;
}

// The end of a tag that begins at `begin`, behind its `>`; those in quotes do not count.
size_t EndOfTag(absl::string_view page, size_t begin) {
  char quote = '\0';
  for (size_t at = begin; at < page.size(); ++at) {
    const char c = page[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at + 1;
    }
  }
  return page.size();
}

}  // namespace

bool IsPage(absl::string_view path) {
  constexpr std::array<absl::string_view, 5> kEndings = {".html", ".htm", ".xhtml", ".vue",
                                                         ".svelte"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](absl::string_view ending) {
    return absl::EndsWithIgnoreCase(path, ending);
  });
}

PageScripts::PageScripts(absl::string_view page) {
  const std::string lower = absl::AsciiStrToLower(page);
  const absl::string_view text = lower;
  for (size_t at = 0; (at = text.find('<', at)) != absl::string_view::npos;) {
    if (absl::StartsWith(text.substr(at), "<!--")) {
      at = std::min(text.find("-->", at), text.size());
      continue;
    }
    const size_t end = EndOfTag(text, at);
    AddTag(page, at, end);
    const bool is_script = absl::StartsWith(text.substr(at), "<script");
    at = end;
    if (!is_script) continue;
    at = std::min(text.find("</script", end), text.size());
    ranges_.push_back({static_cast<uint32_t>(end), static_cast<uint32_t>(at)});
  }
}

// Values in quotes, each behind the name of its attribute.
void PageScripts::AddTag(absl::string_view page, size_t begin, size_t end) {
  page = page.substr(0, end);
  for (size_t at = begin; (at = page.find_first_of("\"'", at)) < end;) {
    const size_t close = std::min(page.find(page[at], at + 1), end);
    absl::string_view name = absl::StripTrailingAsciiWhitespace(page.substr(begin, at - begin));
    if (!name.empty() && name.back() == '=') name.remove_suffix(1);
    name = absl::StripTrailingAsciiWhitespace(name);
    name = name.substr(name.find_last_of(" \t\r\n\"'/") + 1);  // npos + 1 is 0
    if (IsCode(name)) {
      ranges_.push_back({static_cast<uint32_t>(at + 1), static_cast<uint32_t>(close)});
    }
    begin = at = close + 1;
  }
}

bool PageScripts::Holds(uint32_t offset) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                       [](uint32_t at, const Range& range) { return at < range.begin; });
  return after != ranges_.begin() && offset < (after - 1)->end;
}

}  // namespace stile

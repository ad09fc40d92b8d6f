#include "runtime/language/name_matcher.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxAlternatives = 64;
constexpr absl::string_view kSpecial = "*?[]{}\\/";

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::vector<std::string> ExpandAlternatives(absl::string_view glob) {
  const size_t open = glob.find('{');
  const size_t close = open == absl::string_view::npos ? open : glob.find('}', open);
  if (close == absl::string_view::npos) return {std::string(glob)};
  const absl::string_view inside = glob.substr(open + 1, close - open - 1);
  if (inside.find('{') != absl::string_view::npos) return {std::string(glob)};
  const std::vector<std::string> tails = ExpandAlternatives(glob.substr(close + 1));
  const std::vector<absl::string_view> choices = absl::StrSplit(inside, ',');
  if (tails.size() * choices.size() > kMaxAlternatives) return {std::string(glob)};
  std::vector<std::string> expanded;
  for (absl::string_view choice : choices) {
    for (const std::string& tail : tails) {
      expanded.push_back(absl::StrCat(glob.substr(0, open), choice, tail));
    }
  }
  return expanded;
}

void NameMatcher::Add(absl::string_view glob, int tag) {
  for (const std::string& pattern : ExpandAlternatives(glob)) {
    const size_t last_special = pattern.find_last_of(std::string(kSpecial));
    if (last_special == std::string::npos) {
      by_name_[pattern].push_back(tag);
    } else if (last_special == 0 && pattern[0] == '*' && pattern.size() > 1 && pattern[1] == '.' &&
               pattern.find('.', 2) == std::string::npos) {
      by_extension_[pattern.substr(1)].push_back(tag);
    } else {
      globs_.push_back({pattern, pattern.substr(last_special + 1), tag});
    }
  }
}

std::vector<int> NameMatcher::Match(absl::string_view path) const {
  std::vector<int> tags;
  const absl::string_view name = BaseName(path);
  const auto add = [&tags](const auto& table, absl::string_view key) {
    const auto found = table.find(key);
    if (found != table.end()) tags.insert(tags.end(), found->second.begin(), found->second.end());
  };
  add(by_name_, name);
  const size_t dot = name.rfind('.');
  if (dot != absl::string_view::npos) add(by_extension_, name.substr(dot));
  for (const Glob& glob : globs_) {
    if (absl::EndsWith(path, glob.suffix) && GlobMatch(glob.pattern, path))
      tags.push_back(glob.tag);
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

}  // namespace stile

#include "runtime/coverage/canary.h"

#include <algorithm>
#include <random>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

int CountNewlines(absl::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// A name like those in `content` that is not in it. It begins with a capital letter, which any
// declaration may.
std::string NewName(absl::string_view content, uint64_t random) {
  std::vector<absl::string_view> words;
  constexpr size_t kMaxWords = 1000;
  for (size_t i = 0; i < content.size() && words.size() < kMaxWords;) {
    size_t end = i;
    while (end < content.size() && absl::ascii_isalpha(static_cast<unsigned char>(content[end]))) {
      ++end;
    }
    if (end - i >= 4 && end - i <= 12) words.push_back(content.substr(i, end - i));
    i = end + 1;
  }
  std::mt19937_64 generator(random);
  std::string name = words.empty() ? "Item" : std::string(words[generator() % words.size()]);
  name[0] = absl::ascii_toupper(static_cast<unsigned char>(name[0]));
  do {
    for (int i = 0; i < 3; ++i) name.push_back(static_cast<char>('a' + generator() % 26));
  } while (absl::StrContains(content, name));
  return name;
}

}  // namespace

std::optional<Canary> PlantCanary(const Language& language, CanaryKind kind,
                                  absl::string_view content, uint64_t random, bool at_start) {
  const bool meaning = kind == CanaryKind::kMeaning && !language.canary_meaning.empty();
  const std::string& text = meaning
                                ? language.canary_meaning[random % language.canary_meaning.size()]
                                : language.canary_syntax;
  if (kind == CanaryKind::kNone || text.empty()) return std::nullopt;
  const std::string id = NewName(content, random);
  const std::string other = NewName(absl::StrCat(content, " ", id), random ^ 0x9e3779b97f4a7c15u);
  const std::string planted =
      absl::StrCat(absl::StrReplaceAll(text, {{"$id", id}, {"$other", other}}), "\n");
  Canary canary;
  if (at_start) {
    absl::string_view mark = "\xEF\xBB\xBF";
    if (!absl::ConsumePrefix(&content, mark)) mark = "";
    canary.content = absl::StrCat(mark, planted, content);
    canary.first_line = 1;
    canary.last_line = CountNewlines(planted);
    return canary;
  }
  const bool open_line = !content.empty() && content.back() != '\n';
  canary.content = absl::StrCat(content, open_line ? "\n" : "", planted);
  canary.first_line = CountNewlines(content) + (open_line ? 2 : 1);
  // Some compilers complain at the end of the file.
  canary.last_line = canary.first_line + CountNewlines(planted);
  return canary;
}

bool IsReported(const Canary& canary, const std::string& file, const ValidationResult& result) {
  return std::any_of(
      result.diagnostics.begin(), result.diagnostics.end(), [&](const Diagnostic& diagnostic) {
        return diagnostic.severity == Severity::kError && diagnostic.file == file &&
               diagnostic.line >= canary.first_line && diagnostic.line <= canary.last_line;
      });
}

}  // namespace stile

#include "runtime/gate/canary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

int CountNewlines(absl::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::optional<Canary> PlantCanary(const Language& language, CanaryKind kind,
                                  absl::string_view content, absl::string_view id, bool at_start) {
  const bool meaning = kind == CanaryKind::kMeaning && !language.canary_meaning.empty();
  const std::string& text = meaning ? language.canary_meaning : language.canary_syntax;
  if (kind == CanaryKind::kNone || text.empty()) return std::nullopt;
  const std::string planted = absl::StrCat(absl::StrReplaceAll(text, {{"$id", id}}), "\n");
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

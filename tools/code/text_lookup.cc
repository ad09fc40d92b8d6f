#include "tools/code/text_lookup.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/file_walk.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/code_text.h"

namespace stile {
namespace {

constexpr size_t kMaxTextBytes = size_t{4} << 20;
constexpr size_t kHeadBytes = 8192;

bool IsPartOfWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || c == '_' || c == '$' || byte >= 0x80;
}

// The offset of `word` as a whole word; npos if there is none.
size_t FindWhole(absl::string_view line, absl::string_view word) {
  for (size_t at = line.find(word); at != absl::string_view::npos; at = line.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsPartOfWord(line[at - 1]);
    if (begins && (end == line.size() || !IsPartOfWord(line[end]))) return at;
  }
  return absl::string_view::npos;
}

void LookIn(const std::string& path, absl::string_view content, const std::string& word,
            size_t limit, TextLookup* found) {
  int number = 0;
  for (const absl::string_view line : SplitLines(content)) {
    ++number;
    const size_t at = FindWhole(line, word);
    if (at == absl::string_view::npos || ++found->total > limit) continue;
    found->hits.push_back(
        {path, number, static_cast<int>(at) + 1, Shortened(absl::StripAsciiWhitespace(line))});
  }
}

}  // namespace

absl::StatusOr<TextLookup> FindWord(const ToolContext& context, const std::string& word,
                                    size_t limit) {
  TextLookup found;
  if (word.empty() || absl::StrContains(word, '\n')) return found;
  const auto visit = [&](const WalkEntry& entry) {
    if (entry.kind != WalkEntry::Kind::kFile || entry.stamp.size > kMaxTextBytes) return true;
    const auto content =
        context.file_system->ReadFile(JoinPath(context.workspace, entry.path), kMaxTextBytes);
    if (!content.ok() || !absl::StrContains(*content, word)) return true;
    if (absl::StrContains(absl::string_view(*content).substr(0, kHeadBytes), '\0')) return true;
    LookIn(entry.path, *content, word, limit, &found);
    return true;
  };
  STILE_RETURN_IF_ERROR(
      WalkFiles(context, {".", context.workspace}, /*recursive=*/true, visit).status());
  return found;
}

}  // namespace stile

#include "tools/code/text_lookup.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/tool/file_walk.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/code_text.h"
#include "tools/refactor/doc_mentions.h"
#include "tools/refactor/page_scripts.h"

namespace stile {
namespace {

constexpr size_t kMaxTextBytes = size_t{4} << 20;
constexpr size_t kHeadBytes = 8192;

bool IsPartOfWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || c == '_' || c == '$' || byte >= 0x80;
}

// Offsets of `word` in the text of one file, in order.
using Finder =
    std::function<std::vector<uint32_t>(const std::string& path, absl::string_view text)>;

std::vector<uint32_t> WholeWords(absl::string_view text, absl::string_view word) {
  std::vector<uint32_t> found;
  for (size_t at = text.find(word); at != absl::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsPartOfWord(text[at - 1]);
    const bool ends = end == text.size() || !IsPartOfWord(text[end]);
    if (begins && ends) found.push_back(static_cast<uint32_t>(at));
  }
  return found;
}

// Those in quotes, as a string of its own.
std::vector<uint32_t> QuotedWords(absl::string_view text, absl::string_view word) {
  std::vector<uint32_t> found = WholeWords(text, word);
  std::erase_if(found, [&](uint32_t at) {
    const size_t end = at + word.size();
    const char quote = at == 0 ? '\0' : text[at - 1];
    return (quote != '"' && quote != '\'' && quote != '`') || end == text.size() ||
           text[end] != quote;
  });
  return found;
}

// Texts that name no code, whatever words they have.
bool IsLicense(absl::string_view path) {
  const std::string base = absl::AsciiStrToLower(BaseName(path));
  const size_t dot = base.find('.');
  const std::string ending = dot == std::string::npos ? "" : base.substr(dot);
  const std::string word = base.substr(0, std::min(dot, base.find('-')));
  const bool is_text = ending.empty() || ending == ".txt" || ending == ".md" || ending == ".rst";
  return is_text &&
         (word == "license" || word == "licence" || word == "copying" || word == "notice");
}

// Whether a file that is no code may hold what a test compares: a snapshot, or data of tests.
bool HoldsExpectations(absl::string_view path) {
  constexpr std::array<absl::string_view, 6> kWords = {"test",    "spec",   "snap",
                                                       "fixture", "golden", "expect"};
  const std::string lower = absl::AsciiStrToLower(path);
  const auto is_letter = [&](size_t at) {
    return at < path.size() && absl::ascii_isalpha(static_cast<unsigned char>(path[at]));
  };
  // The first of a word; `latest` and `inspect` are others.
  const auto begins = [&](size_t at) {
    return at == 0 || !is_letter(at - 1) ||
           absl::ascii_isupper(static_cast<unsigned char>(path[at]));
  };
  // The last of one, as in `unittests`.
  const auto ends_many = [&](size_t end) {
    return end < lower.size() && lower[end] == 's' && !is_letter(end + 1);
  };
  return std::any_of(kWords.begin(), kWords.end(), [&](absl::string_view word) {
    for (size_t at = 0; (at = absl::string_view(lower).find(word, at)) != absl::string_view::npos;
         ++at) {
      if (begins(at) || ends_many(at + word.size())) return true;
    }
    return false;
  });
}

// Whether a build makes code of the file: `names.h.in` of CMake and Autoconf, `client.go.tmpl`.
bool IsTemplateOfCode(const LanguageRegistry& languages, absl::string_view path) {
  constexpr std::array<absl::string_view, 7> kEndings = {".in", ".cmake", ".tmpl",    ".tpl",
                                                         ".j2", ".jinja", ".template"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](absl::string_view ending) {
    absl::string_view made = path;
    return absl::ConsumeSuffix(&made, ending) && languages.OfFile(std::string(made)) != nullptr;
  });
}

// Adds the lines of a text, each once.
void AddLines(const std::string& path, absl::string_view text, const std::vector<uint32_t>& offsets,
              size_t limit, TextLookup* found) {
  size_t line_end = 0;
  int line = 1;
  size_t counted = 0;
  for (const uint32_t at : offsets) {
    if (line_end > at) continue;  // on the line of the one before
    line += static_cast<int>(std::count(text.begin() + static_cast<int64_t>(counted),
                                        text.begin() + static_cast<int64_t>(at), '\n'));
    counted = at;
    line_end = std::min(text.find('\n', at), text.size());
    if (++found->total > limit) continue;
    const size_t before = at == 0 ? absl::string_view::npos : text.rfind('\n', at - 1);
    const size_t begin = before == absl::string_view::npos ? 0 : before + 1;
    found->hits.push_back(
        {path, line, static_cast<int>(at - begin) + 1,
         Shortened(absl::StripAsciiWhitespace(text.substr(begin, line_end - begin)))});
  }
}

absl::StatusOr<TextLookup> FindInTexts(const ToolContext& context, const std::string& word,
                                       size_t limit,
                                       const std::function<bool(const std::string& path)>& is_read,
                                       const Finder& find) {
  TextLookup found;
  if (word.empty() || absl::StrContains(word, '\n')) return found;
  const auto visit = [&](const WalkEntry& entry) {
    if (entry.kind != WalkEntry::Kind::kFile || entry.stamp.size > kMaxTextBytes) return true;
    if (!is_read(entry.path)) return true;
    const auto content =
        context.file_system->ReadFile(JoinPath(context.workspace, entry.path), kMaxTextBytes);
    if (!content.ok() || !absl::StrContains(*content, word)) return true;
    if (absl::StrContains(absl::string_view(*content).substr(0, kHeadBytes), '\0')) return true;
    AddLines(entry.path, *content, find(entry.path, *content), limit, &found);
    return true;
  };
  STILE_RETURN_IF_ERROR(
      WalkFiles(context, {".", context.workspace}, /*recursive=*/true, visit).status());
  return found;
}

}  // namespace

absl::StatusOr<TextLookup> FindWord(const ToolContext& context, const std::string& word,
                                    size_t limit) {
  return FindInTexts(
      context, word, limit, [](const std::string&) { return true; },
      [&](const std::string&, absl::string_view text) { return WholeWords(text, word); });
}

absl::StatusOr<TextLookup> FindInDocuments(const ToolContext& context,
                                           const LanguageRegistry& languages,
                                           const DocumentQuery& query, size_t limit) {
  const std::string& name = query.name;
  return FindInTexts(
      context, name, limit,
      [&](const std::string& path) {
        return languages.OfFile(path) == nullptr && !IsLicense(path);
      },
      [&](const std::string& path, absl::string_view text) {
        if (IsTemplateOfCode(languages, path)) return WholeWords(text, name);
        std::vector<uint32_t> found =
            FindDocMentions(text, name, query.owner, {.in_settings = true});
        const auto add = [&](const std::vector<uint32_t>& more) {
          std::vector<uint32_t> all;
          std::set_union(found.begin(), found.end(), more.begin(), more.end(),
                         std::back_inserter(all));
          found = std::move(all);
        };
        if (HoldsExpectations(path)) add(QuotedWords(text, name));
        if (query.is_of_script && IsPage(path)) {
          const PageScripts scripts(text);
          std::vector<uint32_t> words = WholeWords(text, name);
          std::erase_if(words, [&](uint32_t at) { return !scripts.Holds(at); });
          add(words);
        }
        return found;
      });
}

absl::StatusOr<TextLookup> FindInTemplates(const ToolContext& context,
                                           const LanguageRegistry& languages,
                                           const std::string& name, size_t limit) {
  return FindInTexts(
      context, name, limit,
      [&](const std::string& path) { return IsTemplateOfCode(languages, path); },
      [&](const std::string&, absl::string_view text) { return WholeWords(text, name); });
}

}  // namespace stile

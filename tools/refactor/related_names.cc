#include "tools/refactor/related_names.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/backend/language_family.h"
#include "tools/index/file_reading.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr size_t kMaxFiles = 200;  // that are parsed
constexpr size_t kMinNameBytes = 3;

// What stands before or behind a name in those that are made from it, in lower case.
constexpr std::array<absl::string_view, 13> kAffixes = {
    "new",  "make", "create", "build",   "test",    "tests",    "spec",
    "mock", "fake", "stub",   "builder", "factory", "benchmark"};

bool IsUpper(char c) { return absl::ascii_isupper(static_cast<unsigned char>(c)); }

enum class Spelling { kAsWritten, kCamel, kSnake, kKebab, kScreaming };
constexpr std::array<Spelling, 5> kSpellings = {Spelling::kAsWritten, Spelling::kCamel,
                                                Spelling::kSnake, Spelling::kKebab,
                                                Spelling::kScreaming};

std::string Spell(const std::string& name, Spelling spelling) {
  switch (spelling) {
    case Spelling::kAsWritten:
      break;
    case Spelling::kCamel:
      return CamelCase(name);
    case Spelling::kSnake:
      return SnakeCase(name);
    case Spelling::kKebab:
      return absl::StrReplaceAll(SnakeCase(name), {{"_", "-"}});
    case Spelling::kScreaming:
      return absl::AsciiStrToUpper(SnakeCase(name));
  }
  return name;
}

// Whether a word of `text` begins at `at`: behind a sign, or a capital letter behind another.
bool BeginsWord(absl::string_view text, size_t at) {
  if (at == 0 || !IsIdentifierByte(text[at - 1]) || text[at - 1] == '_') return true;
  return IsUpper(text[at]) && !IsUpper(text[at - 1]);
}

bool EndsWord(absl::string_view text, size_t end) {
  if (end == text.size() || !IsIdentifierByte(text[end]) || text[end] == '_') return true;
  return IsUpper(text[end]) && !IsUpper(text[end - 1]);
}

// Where `part` stands in `text` as whole words; npos.
size_t FindWords(absl::string_view text, absl::string_view part) {
  for (size_t at = text.find(part); at != absl::string_view::npos; at = text.find(part, at + 1)) {
    if (BeginsWord(text, at) && EndsWord(text, at + part.size())) return at;
  }
  return absl::string_view::npos;
}

bool IsAffix(const std::string& word) {
  return std::find(kAffixes.begin(), kAffixes.end(), word) != kAffixes.end();
}

// Whether `name` has a customary part next to the words of `from`.
bool IsCustomary(const std::string& name, const std::string& from) {
  const std::vector<std::string> words = WordsOf(name);
  const std::vector<std::string> inner = WordsOf(from);
  const auto at = std::search(words.begin(), words.end(), inner.begin(), inner.end());
  if (at == words.end()) return false;
  const auto behind = at + static_cast<std::ptrdiff_t>(inner.size());
  return (at != words.begin() && IsAffix(*(at - 1))) || (behind != words.end() && IsAffix(*behind));
}

}  // namespace

std::string Derived(const std::string& name, const std::string& from, const std::string& to) {
  if (name == from || from.empty()) return "";
  for (const Spelling spelling : kSpellings) {
    const std::string part = Spell(from, spelling);
    const size_t at = FindWords(name, part);
    if (at == absl::string_view::npos) continue;
    return absl::StrCat(name.substr(0, at), Spell(to, spelling), name.substr(at + part.size()));
  }
  return "";
}

std::vector<RelatedName> FindRelatedNames(const std::string& from, const std::string& to,
                                          CodeIndex* index) {
  std::vector<RelatedName> related;
  if (from.size() < kMinNameBytes) return related;
  std::vector<std::string> holding;
  size_t bytes = 0;
  index->ListFiles([&](const std::string& path) {
    const std::string base = BaseName(path);
    const std::string stem = base.substr(0, base.find('.'));
    const std::string tail = base.substr(stem.size());
    // The file of the name itself, or one of its tests.
    std::string renamed = Derived(stem, from, to);
    if (renamed.empty() && stem == from) renamed = to;
    const bool is_it = WordsOf(stem) == WordsOf(from);
    if (!renamed.empty() && (is_it || IsCustomary(stem, from))) {
      related.push_back(
          {"", path, 0, absl::StrCat(path.substr(0, path.size() - base.size()), renamed, tail)});
    }
    std::string text;
    if (bytes > kMaxBytes || holding.size() >= kMaxFiles || !index->IsCode(path) ||
        !ReadRegularFile(JoinPath(index->workspace(), path), kMaxCodeBytes, &text)) {
      return;
    }
    bytes += text.size();
    const bool holds = std::any_of(kSpellings.begin(), kSpellings.end(), [&](Spelling spelling) {
      return absl::StrContains(text, Spell(from, spelling));
    });
    if (holds) holding.push_back(path);
  });
  for (const std::string& path : holding) {
    const auto file = index->Open(path);
    if (!file.ok()) continue;
    for (size_t i = 0; i < (*file)->symbols.size(); ++i) {
      const Symbol& symbol = (*file)->symbols[i];
      std::string renamed = Derived(symbol.name, from, to);
      if (renamed.empty() || !IsCustomary(symbol.name, from)) continue;
      related.push_back({(*file)->QualifiedName(static_cast<int>(i)), path,
                         (*file)->PlaceOf(symbol.name_begin).line, std::move(renamed)});
    }
  }
  std::stable_sort(related.begin(), related.end(), [](const RelatedName& a, const RelatedName& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  return related;
}

}  // namespace stile

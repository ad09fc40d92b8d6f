#include "tools/refactor/related_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/language/language_family.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr size_t kMaxFiles = 200;  // that are parsed
constexpr size_t kMinNameBytes = 3;

// What stands before or behind a name in those that are made from it, in lower case.
constexpr std::array<absl::string_view, 8> kAffixes = {"new",  "make", "create", "build",
                                                       "mock", "fake", "stub",   "builder"};
constexpr std::array<absl::string_view, 4> kTestAffixes = {"test", "tests", "spec", "benchmark"};
constexpr absl::string_view kFactory = "factory";
// Words that may follow the name in that of a constructor: NewOrderFromJson.
constexpr std::array<absl::string_view, 3> kSources = {"from", "with", "for"};

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

template <typename Words>
bool Holds(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsAffix(const std::string& word) {
  return Holds(kAffixes, word) || Holds(kTestAffixes, word) || word == kFactory;
}

bool IsTest(const std::string& name) {
  const std::vector<std::string> words = WordsOf(name);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return Holds(kTestAffixes, word); });
}

// Whether `name` is made of the words of `from` and customary ones.
bool IsCustomary(const std::string& name, const std::string& from) {
  const std::vector<std::string> words = WordsOf(name);
  const std::vector<std::string> inner = WordsOf(from);
  const auto at = std::search(words.begin(), words.end(), inner.begin(), inner.end());
  if (at == words.end()) return false;
  const auto behind = at + static_cast<std::ptrdiff_t>(inner.size());
  if (IsTest(name)) {
    return (at != words.begin() && IsAffix(*(at - 1))) ||
           (behind != words.end() && IsAffix(*behind));
  }
  const bool has_source = at != words.begin() && behind != words.end() && Holds(kSources, *behind);
  return words.size() > inner.size() && std::all_of(words.begin(), at, IsAffix) &&
         (has_source || std::all_of(behind, words.end(), IsAffix));
}

// "Order" of "Order.create"; "" at the top.
std::string OwnerOf(const std::string& qualified) {
  const size_t dot = qualified.rfind('.');
  return dot == std::string::npos ? "" : qualified.substr(0, dot);
}

// Whether a declaration of the folder has that name and that owner.
bool IsTaken(const std::string& name, const std::string& owner, const std::string& folder,
             CodeIndex* index) {
  for (const auto& file : index->FilesWith(name)) {
    if (DirName(file->path) != folder) continue;
    for (size_t i = 0; i < file->symbols.size(); ++i) {
      if (file->symbols[i].name == name &&
          OwnerOf(file->QualifiedName(static_cast<int>(i))) == owner) {
        return true;
      }
    }
  }
  return false;
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

std::vector<RelatedName> FindRelatedNames(const Renaming& renaming, CodeIndex* index) {
  const std::string& from = renaming.from;
  const std::string& to = renaming.to;
  std::vector<RelatedName> related;
  if (from.size() < kMinNameBytes) return related;
  std::vector<std::string> holding;
  std::set<std::string> paths;
  size_t bytes = 0;
  index->ListFiles([&](const std::string& path) {
    paths.insert(path);
    const std::string base = BaseName(path);
    const std::string stem = base.substr(0, base.find('.'));
    const std::string tail = base.substr(stem.size());
    // The file of the name itself, or one of its tests.
    std::string renamed = Derived(stem, from, to);
    if (renamed.empty() && stem == from) renamed = to;
    const bool is_it = WordsOf(stem) == WordsOf(from);
    if (renaming.names_files && !renamed.empty() && (is_it || IsCustomary(stem, from))) {
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
  for (RelatedName& file : related) file.is_taken = paths.count(file.new_name) > 0;
  for (const std::string& path : holding) {
    const auto file = index->Open(path);
    if (!file.ok()) continue;
    std::set<std::string> seen;
    for (size_t i = 0; i < (*file)->symbols.size(); ++i) {
      const Symbol& symbol = (*file)->symbols[i];
      std::string renamed = Derived(symbol.name, from, to);
      if (renamed.empty() || !IsCustomary(symbol.name, from)) continue;
      const absl::string_view declaration =
          absl::string_view((*file)->text).substr(symbol.begin, symbol.end - symbol.begin);
      if (renaming.has_namesake && IsTest(symbol.name) && !HoldsWord(declaration, to)) continue;
      const std::string qualified = (*file)->QualifiedName(static_cast<int>(i));
      if (!seen.insert(qualified).second) continue;
      const bool is_taken = IsTaken(renamed, OwnerOf(qualified), DirName(path), index);
      related.push_back({qualified, path, (*file)->PlaceOf(symbol.name_begin).line,
                         std::move(renamed), is_taken});
    }
  }
  std::stable_sort(related.begin(), related.end(), [](const RelatedName& a, const RelatedName& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  return related;
}

}  // namespace stile

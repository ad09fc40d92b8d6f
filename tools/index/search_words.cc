#include "tools/index/search_words.h"

#include <libstemmer.h>

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"

namespace stile {
namespace {

// After Snowball's list, https://snowballstem.org/algorithms/english/stop.txt; words that name what
// code does ("before", "off", "same", "own") stay.
constexpr const char* kStopWords[] = {
    "a",       "about",  "above", "after",   "again",  "all",    "also",    "am",     "an",
    "and",     "any",    "are",   "as",      "at",     "be",     "because", "been",   "being",
    "between", "both",   "but",   "by",      "can",    "could",  "did",     "do",     "does",
    "doing",   "during", "each",  "few",     "for",    "from",   "further", "had",    "has",
    "have",    "having", "he",    "her",     "here",   "hers",   "him",     "his",    "how",
    "i",       "if",     "in",    "into",    "is",     "it",     "its",     "itself", "just",
    "may",     "me",     "might", "more",    "most",   "must",   "my",      "no",     "nor",
    "not",     "now",    "of",    "on",      "once",   "only",   "or",      "other",  "our",
    "ours",    "out",    "over",  "shall",   "she",    "should", "so",      "some",   "such",
    "than",    "that",   "the",   "their",   "theirs", "them",   "then",    "there",  "these",
    "they",    "this",   "those", "through", "to",     "too",    "under",   "until",  "up",
    "very",    "was",    "we",    "were",    "what",   "when",   "where",   "which",  "while",
    "who",     "whom",   "why",   "will",    "with",   "would",  "you",     "your",   "yours"};

constexpr const char* kKeywords[] = {
    "begin",  "bool",   "break",  "case",     "const",  "continue", "def",       "elif",
    "else",   "end",    "export", "false",    "final",  "fn",       "func",      "function",
    "import", "int",    "let",    "new",      "nil",    "none",     "null",      "private",
    "public", "return", "self",   "static",   "str",    "throw",    "true",      "try",
    "var",    "void",   "async",  "await",    "err",    "nullptr",  "undefined", "include",
    "mut",    "impl",   "pub",    "readonly", "string", "protected"};

bool IsUpper(char c) { return absl::ascii_isupper(static_cast<unsigned char>(c)); }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsLetter(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool OneOf(absl::string_view word, const std::set<absl::string_view>& words) {
  return words.count(word) > 0;
}

const std::set<absl::string_view>& Keywords() {
  static const auto* const words =
      new std::set<absl::string_view>(std::begin(kKeywords), std::end(kKeywords));
  return *words;
}

}  // namespace

struct SearchWords::Stemmer {
  ~Stemmer() { sb_stemmer_delete(handle); }
  sb_stemmer* const handle = sb_stemmer_new("english", "UTF_8");
};

std::vector<std::string> SplitIdentifier(absl::string_view identifier) {
  std::vector<std::string> parts;
  bool is_open = false;
  for (size_t i = 0; i < identifier.size(); ++i) {
    const char c = identifier[i];
    if (!IsLetter(c) && !IsDigit(c)) {
      is_open = false;
      continue;
    }
    if (is_open) {
      const char before = identifier[i - 1];
      const bool next_is_lower =
          i + 1 < identifier.size() && IsLetter(identifier[i + 1]) && !IsUpper(identifier[i + 1]);
      // "getHttp", "HTTPResponse", "utf8".
      if ((IsUpper(c) && !IsUpper(before)) || (IsUpper(c) && IsUpper(before) && next_is_lower) ||
          IsDigit(c) != IsDigit(before)) {
        is_open = false;
      }
    }
    if (!is_open) parts.emplace_back();
    is_open = true;
    parts.back().push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }
  return parts;
}

SearchTerm WholeTerm(absl::string_view identifier) {
  std::string whole = "=";
  for (const char c : identifier) {
    if (IsLetter(c) || IsDigit(c)) {
      whole.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    }
  }
  return static_cast<SearchTerm>(HashBytes(whole));
}

bool IsStopWord(absl::string_view word) {
  static const auto* const words =
      new std::set<absl::string_view>(std::begin(kStopWords), std::end(kStopWords));
  return OneOf(word, *words);
}

SearchWords::SearchWords(Form form) : form_(form), stemmer_(new Stemmer), slots_(1 << 14) {}
SearchWords::~SearchWords() = default;

std::string SearchWords::Stem(const std::string& word) const {
  if (stemmer_->handle == nullptr) return word;  // no memory
  const auto* stem =
      sb_stemmer_stem(stemmer_->handle, reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  return std::string(reinterpret_cast<const char*>(stem),
                     static_cast<size_t>(sb_stemmer_length(stemmer_->handle)));
}

void SearchWords::Add(absl::string_view word, Slot* slot) {
  slot->begin = static_cast<uint32_t>(terms_.size());
  if (form_ == Form::kPlain) {
    terms_.push_back(static_cast<SearchTerm>(HashBytes(absl::AsciiStrToLower(word))));
    slot->size = 1;
    return;
  }
  const std::vector<std::string> parts = SplitIdentifier(word);
  slot->is_compound = parts.size() > 1;
  slot->is_keyword = parts.size() == 1 && OneOf(parts[0], Keywords());
  for (const std::string& part : parts) {
    if (part.size() < 2 || IsStopWord(part)) continue;
    const auto term = static_cast<SearchTerm>(HashBytes(Stem(part)));
    terms_.push_back(term);
  }
  if (slot->is_compound) terms_.push_back(WholeTerm(word));
  slot->size = static_cast<uint16_t>(terms_.size() - slot->begin);
}

void SearchWords::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.hash == 0) continue;
    size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].hash != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

SearchWords::Word SearchWords::Find(absl::string_view word) {
  const uint64_t hash = std::max<uint64_t>(HashBytes(word), 1);
  size_t at = hash & (slots_.size() - 1);
  while (slots_[at].hash != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
  Slot& slot = slots_[at];
  if (slot.hash == 0) {
    slot.hash = hash;
    Add(word, &slot);
    const Slot added = slot;
    if (++used_ * 2 > slots_.size()) Grow();
    return {terms_.data() + added.begin, added.size, added.is_keyword, added.is_compound};
  }
  return {terms_.data() + slot.begin, slot.size, slot.is_keyword, slot.is_compound};
}

}  // namespace stile

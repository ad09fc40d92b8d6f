// The words of code and prose as search compares them: identifiers taken apart, stems of English
// words (Porter's second stemmer, https://snowballstem.org/algorithms/english/stemmer.html), and no
// words that every text has.
#ifndef STILE_TOOLS_INDEX_SEARCH_WORDS_H_
#define STILE_TOOLS_INDEX_SEARCH_WORDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/base/text.h"
#include "tools/index/byte_hash.h"

namespace stile {

// The hash of a stem. Two words of a project that share one are rare, and then only found together.
using SearchTerm = uint32_t;

// "getHTTPResponse_v2" → "get", "http", "response", "v", "2".
std::vector<std::string> SplitIdentifier(absl::string_view identifier);

// An identifier as a whole, whatever its style: the same for getResponse, get_response and
// GET_RESPONSE, and no term of a word.
SearchTerm WholeTerm(absl::string_view identifier);

bool IsStopWord(absl::string_view lower_case_word);

// Remembers every word that it has seen. Not thread-safe.
class SearchWords {
 public:
  enum class Form {
    kStems,
    kPlain,  // lower case and nothing else, to compare with
  };
  explicit SearchWords(Form form = Form::kStems);
  ~SearchWords();
  SearchWords(const SearchWords&) = delete;
  SearchWords& operator=(const SearchWords&) = delete;

  struct Word {
    const SearchTerm* terms = nullptr;  // of its parts, and of itself if it has several
    uint32_t size = 0;
    bool is_keyword = false;  // of some language: says nothing in code
    bool is_compound = false;
  };
  // Of one identifier or word. Valid until the next call.
  Word Find(absl::string_view word);

  // Calls `use(absl::string_view, const Word&)` with each word of a text.
  template <typename Use>
  void ForEach(absl::string_view text, const Use& use) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
      while (at < end && !IsIdentifierByte(*at)) ++at;
      if (at == end) return;
      const char* const begin = at;
      while (at < end && IsIdentifierByte(*at)) ++at;
      const absl::string_view word(begin, static_cast<size_t>(at - begin));
      if (word.size() > kMaxWordBytes) continue;  // data
      use(word, Find(word));
    }
  }
  static constexpr size_t kMaxWordBytes = 100;

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t begin = 0;
    uint16_t size = 0;
    bool is_keyword = false;
    bool is_compound = false;
  };
  void Grow();
  void Add(absl::string_view word, Slot* slot);
  std::string Stem(const std::string& word) const;

  const Form form_;
  struct Stemmer;
  std::unique_ptr<Stemmer> stemmer_;
  std::vector<Slot> slots_;  // open addressing; a hash of 0 is empty
  size_t used_ = 0;
  std::vector<SearchTerm> terms_;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_SEARCH_WORDS_H_

// What somebody looks for, as ranking understands it.
#ifndef STILE_TOOLS_INDEX_SEARCH_QUERY_H_
#define STILE_TOOLS_INDEX_SEARCH_QUERY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/index/search_words.h"

namespace stile {

struct WeightedTerm {
  SearchTerm term = 0;
  float weight = 1;
};

struct SearchTerms {
  std::vector<WeightedTerm> terms;  // each once
  // What reads as the name of something, "getUser", "Server.run", or the only word: what is
  // declared under it comes before everything else.
  struct Name {
    std::string name;
    std::string owner;  // "Server"; may be ""
    SearchTerm whole = 0;
  };
  std::vector<Name> names;
  bool asks_for_tests = false;  // or examples
};

SearchTerms ParseSearch(absl::string_view query, SearchWords* words);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_SEARCH_QUERY_H_

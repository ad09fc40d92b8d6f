#include "tools/index/search_query.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "runtime/base/text.h"
#include "tools/index/symbol_query.h"

namespace stile {
namespace {

constexpr size_t kMaxQueryBytes = 4000;
constexpr size_t kMaxTerms = 48;
constexpr float kWholeWeight = 0.5F;  // beside the parts of the same word

absl::string_view WithoutPunctuation(absl::string_view token) {
  const auto is_part = [](char c) { return IsIdentifierByte(c); };
  while (!token.empty() && !is_part(token.front()) && token.front() != '~') token.remove_prefix(1);
  while (!token.empty() && !is_part(token.back()) && token.back() != '=') token.remove_suffix(1);
  return token;
}

// Not a word of English: "getUser", "max_size", "sha256", "Server.run".
bool ReadsAsIdentifier(absl::string_view token, const SymbolQuery& name) {
  if (!name.owner.empty()) {
    // "e.g." and "build.The" are slips of punctuation.
    return name.owner.size() > 1 && name.name.size() > 1;
  }
  return SplitIdentifier(token).size() > 1 &&
         std::all_of(token.begin(), token.end(), [](char c) { return IsIdentifierByte(c); });
}

}  // namespace

SearchTerms ParseSearch(absl::string_view query, SearchWords* words) {
  query = query.substr(0, kMaxQueryBytes);
  SearchTerms parsed;
  std::set<SearchTerm> seen;
  const auto add = [&](SearchTerm term, float weight) {
    if (parsed.terms.size() < kMaxTerms && seen.insert(term).second) {
      parsed.terms.push_back({term, weight});
    }
  };
  std::vector<absl::string_view> tokens;
  for (const absl::string_view token : absl::StrSplit(query, absl::ByAnyChar(" \t\r\n"))) {
    const absl::string_view plain = WithoutPunctuation(token);
    if (!plain.empty()) tokens.push_back(plain);
  }
  words->ForEach(query, [&](absl::string_view written, const SearchWords::Word& word) {
    for (const std::string& part : SplitIdentifier(written)) {
      for (const char* asked : {"test", "spec", "example", "benchmark", "sample"}) {
        if (absl::StartsWith(part, asked)) parsed.asks_for_tests = true;
      }
    }
    const size_t parts = word.size - (word.is_compound ? 1 : 0);
    for (size_t i = 0; i < parts; ++i) add(word.terms[i], 1);
    if (word.is_compound || tokens.size() == 1) {
      add(WholeTerm(written), 1);
    } else if (!IsStopWord(absl::AsciiStrToLower(written))) {
      add(WholeTerm(written), kWholeWeight);
    }
  });
  for (const absl::string_view token : tokens) {
    const SymbolQuery name = ParseSymbolName(token);
    if (name.name.empty()) continue;
    if (tokens.size() > 1 && !ReadsAsIdentifier(token, name)) continue;
    parsed.names.push_back({name.name, name.owner, WholeTerm(name.name)});
    add(parsed.names.back().whole, 1);
  }
  return parsed;
}

}  // namespace stile

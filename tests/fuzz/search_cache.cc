// What search keeps on disk, possibly damaged: the cache of files, and a block of one file. The
// first byte chooses.
#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/index/file_cache.h"
#include "tools/index/file_terms.h"
#include "tools/index/identifier_filter.h"
#include "tools/index/search_ranking.h"

namespace stile {
namespace {

void ReadCache(absl::string_view bytes) {
  constexpr uint32_t kVersion = 1;
  const auto entries = FileCache::Parse(std::make_shared<const std::string>(bytes), kVersion);
  if (!entries.has_value()) return;
  const std::string written = FileCache::Serialize(*entries, kVersion, SIZE_MAX);
  const auto again = FileCache::Parse(std::make_shared<const std::string>(written), kVersion);
  STILE_CHECK(again.has_value() && again->size() == entries->size());
  for (const auto& [path, entry] : *entries) IdentifierProbe("any_word").MayBeIn(entry.payload);
}

void ReadBlock(absl::string_view bytes) {
  const auto terms = FileTerms::Read(bytes);
  if (!terms.has_value()) return;
  SearchWords words;
  SearchTerms query = ParseSearch("load the configuration Server.run", &words);
  for (uint32_t i = 0; i < terms->chunk_count(); ++i) {
    STILE_CHECK(terms->name(i).size() + terms->container(i).size() <= bytes.size());
    if (terms->postings_begin(i) < terms->chunk(i).postings_end) {
      query.terms.push_back({terms->term(terms->postings_begin(i)), 1});
      break;
    }
  }
  RankChunks({*terms}, query, RankingOptions(), 10);
}

}  // namespace
}  // namespace stile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  if (input.TakeChoice(2) == 0) {
    stile::ReadCache(input.rest());
  } else {
    stile::ReadBlock(input.rest());
  }
  return 0;
}

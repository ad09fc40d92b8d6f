// Search for what code is about: ranked pieces of the files of a workspace. What a file says is
// taken from it once and kept, also between processes (see CodeIndex::Memory); each search looks
// whether it is still the same file.
#ifndef STILE_TOOLS_INDEX_SEARCH_INDEX_H_
#define STILE_TOOLS_INDEX_SEARCH_INDEX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/index/code_index.h"
#include "tools/index/file_cache.h"
#include "tools/index/file_terms.h"
#include "tools/index/search_ranking.h"

namespace stile {

struct SearchRequest {
  std::string query;
  std::string file_pattern;  // a glob; "": all files
  size_t limit = 10;
};

struct SearchHit {
  std::string path;
  int line = 0;  // of the name, or the first
  int first_line = 0;
  int last_line = 0;
  std::string symbol;         // "Server.run"; a heading in a document; "" for lines of a file
  std::string kind;           // of a symbol, see SymbolKindName; or "block", "section", "text"
  std::string signature;      // on one line; "" where there is no symbol
  std::string documentation;  // the first line of it
  int excerpt_line = 0;       // the line that says most of what was asked for
  std::string excerpt;
  double score = 0;
};

struct SearchAnswer {
  std::vector<SearchHit> hits;  // best first
  size_t files = 0;             // that were searched
  size_t unreadable = 0;        // that could not be
  size_t files_read = 0;        // because they are new or may have changed
};

// Not thread-safe; uses two threads inside.
class SearchIndex {
 public:
  // `code` is not owned and outlives this.
  explicit SearchIndex(const CodeIndex* code, RankingOptions options = {});
  ~SearchIndex();

  SearchAnswer Search(const SearchRequest& request);

 private:
  struct File {
    std::string path;
    FileTerms terms;
  };
  struct Candidate;
  class Readers;

  // Looks at every file that matches; by path.
  std::vector<File> Refresh(absl::string_view pattern, SearchAnswer* answer);
  void Look(int64_t now_ns, Readers* readers, Candidate* candidate) const;
  SearchHit Describe(const std::string& path, const FileTerms& terms, const RankedChunk& ranked,
                     const SearchTerms& query);

  const CodeIndex* const code_;
  const RankingOptions options_;
  FileCache blocks_;
  std::unique_ptr<SearchWords> words_;  // of queries and excerpts
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_SEARCH_INDEX_H_

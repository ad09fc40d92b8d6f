// Cuts files into the pieces that search finds: the symbols of code, blocks of the code around
// them, sections of documents, blocks of lines of other text.
#ifndef STILE_TOOLS_INDEX_SEARCH_CHUNKS_H_
#define STILE_TOOLS_INDEX_SEARCH_CHUNKS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/syntax/grammar.h"
#include "tools/index/file_terms.h"
#include "tools/index/search_words.h"

namespace stile {

// Text that is worth searching although nothing can parse it, by its name: documents, settings,
// languages without a grammar. Not: data, lock files, what was generated.
bool IsSearchableText(absl::string_view path);

// Whether a file holds tests, or examples, by the usual names of files and folders.
bool IsTestFile(absl::string_view path);

struct ChunkOptions {
  // For trials: documentation of symbols is not in the index.
  bool without_documentation = false;
};

// A block for FileTerms::Read. `grammar` may be null. What cannot be parsed, is minified or very
// large is cut by lines, and only its beginning; what is binary has no chunks.
std::string ChunkFile(absl::string_view path, absl::string_view text, const Grammar* grammar,
                      const ChunkOptions& options, SearchWords* words);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_SEARCH_CHUNKS_H_

// Where a name stands as text: for symbols and files that no grammar and no index knows.
#ifndef STILE_TOOLS_CODE_TEXT_LOOKUP_H_
#define STILE_TOOLS_CODE_TEXT_LOOKUP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/language/language.h"
#include "runtime/tool/tool.h"

namespace stile {

struct TextHit {
  std::string path;  // relative to the workspace, raw bytes
  int line = 0;      // 1-based
  int column = 0;    // 1-based, bytes
  std::string text;  // the line, cut where it is long
};

struct TextLookup {
  std::vector<TextHit> hits;  // the first ones, by path
  size_t total = 0;
};

// Lines of text files in the workspace that hold `word` as a whole word; each line once. Leaves out
// ignored, large and binary files. Cancelled when the context is.
absl::StatusOr<TextLookup> FindWord(const ToolContext& context, const std::string& word,
                                    size_t limit);

// The same for files that no language of `languages` takes for code, such as README.md and
// package.json, and only for places that name a symbol as documentation does; see FindDocMentions.
// In templates of code (`names.h.in`), every place counts.
struct DocumentQuery {
  std::string name;
  std::string owner;          // the type of a member, "" for others
  bool is_of_script = false;  // code in pages (see PageScripts) may name it
};
absl::StatusOr<TextLookup> FindInDocuments(const ToolContext& context,
                                           const LanguageRegistry& languages,
                                           const DocumentQuery& query, size_t limit);

// The same for templates of code alone, with every whole word.
absl::StatusOr<TextLookup> FindInTemplates(const ToolContext& context,
                                           const LanguageRegistry& languages,
                                           const std::string& name, size_t limit);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_TEXT_LOOKUP_H_

// Syntax trees of files that one operation reads several times.
#ifndef STILE_TOOLS_INDEX_PARSED_FILES_H_
#define STILE_TOOLS_INDEX_PARSED_FILES_H_

#include <map>
#include <optional>
#include <string>

#include "runtime/syntax/syntax_tree.h"
#include "tools/index/source_file.h"

namespace stile {

// Parses each file once. Not thread-safe.
class ParsedFiles {
 public:
  // Null if the text takes too much work to parse. Valid as long as this object. A path stands for
  // one text.
  const SyntaxTree* Of(const SourceFile& file) {
    const auto [known, is_new] = trees_.try_emplace(file.path, std::nullopt);
    if (is_new) {
      auto tree = SyntaxTree::Parse(file.grammar, file.text);
      if (tree.ok()) known->second.emplace(*std::move(tree));
    }
    return known->second.has_value() ? &*known->second : nullptr;
  }

 private:
  std::map<std::string, std::optional<SyntaxTree>> trees_;  // by path
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_PARSED_FILES_H_

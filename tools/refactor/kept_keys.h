// Names of JavaScript that keep their text although the variable behind them is renamed.
#ifndef STILE_TOOLS_REFACTOR_KEPT_KEYS_H_
#define STILE_TOOLS_REFACTOR_KEPT_KEYS_H_

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "tools/index/code_index.h"
#include "tools/index/source_file.h"
#include "tools/index/symbol_query.h"
#include "tools/resolve/resolver.h"

namespace stile {

// `{ parse: decode }` was `{ parse }`; `exports.parse = decode` was `exports.parse = parse`. Other
// files know the name that a CommonJS module exports, so their uses keep it.
class KeptKeys {
 public:
  KeptKeys(std::string old_name, std::string new_name)
      : old_name_(std::move(old_name)), new_name_(std::move(new_name)) {}

  // `const { parse } = pack` declares a variable of its own, which a server may take for the class
  // that it holds: `after`, the text of an edit at `range`, so that the variable keeps its
  // name. So do its uses in other files, see DropUses.
  // `is_own`: it is the variable that is renamed.
  std::string ForPattern(const SourceFile& file, const CodeRange& range, const std::string& after,
                         bool is_own);

  // Of each edit that renames the variable.
  void Note(const SourceFile& file, const ResolvedEdit& edit);

  // Takes edits of uses out that mean a kept key. `declared_in`: the file of the variable. Asks
  // `resolver` about members; errors of it that are more than no answer.
  absl::Status DropUses(const std::string& declared_in, CodeIndex* index, Resolver* resolver,
                        std::map<CodeRange, std::string>* edits) const;

  // For the rename of a property: removes edits of a variable that a nested pattern declares
  // (`{ inner: { parse } }`) and of its imports in other files. Servers take the variable for the
  // property. Returns errors of `resolver`.
  absl::Status DropImports(CodeIndex* index, Resolver* resolver,
                           std::map<CodeRange, std::string>* edits) const;

  // For an import of several symbols, servers keep the old name beside the new one. Removes the old
  // name if every symbol that the import means is among `declarations`, which are renamed. Asks
  // `resolver`; errors of it.
  absl::Status DropNames(const std::map<CodePlace, Declaration>& declarations, Resolver* resolver,
                         std::map<CodeRange, std::string>* edits) const;

 private:
  const std::string old_name_;
  const std::string new_name_;
  std::set<CodePlace> keys_;
  std::set<CodePlace> variables_;  // of patterns, which keep their names
  std::set<std::string> exporting_files_;
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_KEPT_KEYS_H_

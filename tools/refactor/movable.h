// Whether a declaration means the same in another file, and whether its old file may stay unloaded.
#ifndef STILE_TOOLS_REFACTOR_MOVABLE_H_
#define STILE_TOOLS_REFACTOR_MOVABLE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/source_file.h"

namespace stile {

// FailedPrecondition, with the reason, where the code in `ranges` (the symbol with its
// documentation and methods) depends on where it stands: it asks for its file or module, loads a
// module by a relative path, writes a variable of its file or is one that others write, is a value
// that the statements above it prepare, or needs a name that is imported under a condition. Go:
// where the name or a comment of the file says for which platforms it is built.
absl::Status CheckMovable(const SourceFile& file, const Symbol& symbol,
                          const std::vector<std::pair<uint32_t, uint32_t>>& ranges,
                          const SyntaxTree& tree, const std::vector<Import>& imports,
                          const std::string& destination);

// TypeScript, JavaScript, Python: whether the statements at the top of the file, those in `ranges`
// left out, only import and declare, so that nothing is missed if the file is not loaded.
bool LoadsQuietly(const SourceFile& file, const SyntaxTree& tree,
                  const std::vector<std::pair<uint32_t, uint32_t>>& ranges);

// Python: whether a function of the file writes variables of the module.
bool HasGlobalWrites(const SourceFile& file);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MOVABLE_H_

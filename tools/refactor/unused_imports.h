// Python: import statements without the names that nothing uses.
#ifndef STILE_TOOLS_REFACTOR_UNUSED_IMPORTS_H_
#define STILE_TOOLS_REFACTOR_UNUSED_IMPORTS_H_

#include <vector>

#include "tools/index/source_file.h"
#include "tools/refactor/edit_plan.h"
#include "tools/resolve/resolver.h"

namespace stile {

// Removes the names at `unused` from the import statements at the top level of the file, and
// statements of which nothing is left. Statements with a comment stay: it may speak to another
// tool, such as `# noqa`.
std::vector<TextEdit> RemoveUnusedImports(const SourceFile& file,
                                          const std::vector<CodeRange>& unused);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_UNUSED_IMPORTS_H_

// Python: import statements without the names that nothing uses.
#ifndef STILE_TOOLS_FIX_UNUSED_IMPORTS_H_
#define STILE_TOOLS_FIX_UNUSED_IMPORTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"
#include "tools/resolve/resolver.h"

namespace stile {

struct ImportRemoval {
  std::vector<TextEdit> edits;
  // Unused names that stay: "readline in line 2: loading its module may have an effect".
  std::vector<std::string> kept;
};

// Removes the names at `unused` from the import statements at the top level of the file, and
// statements of which nothing is left. Statements that share a line with others stay. These stay,
// too, and are named in `kept`:
// - imports of modules that are not of the standard library: loading them may have an effect.
//   autoflake has the same rule, https://github.com/PyCQA/autoflake;
// - names that another file of the project takes from this one, or that a string or a parameter
//   of the file has (pytest finds fixtures by the names of parameters), and `import a as a`;
// - statements with a comment: it may speak to another tool, such as `# noqa`.
// Errors are those of SyntaxTree::Parse.
absl::StatusOr<ImportRemoval> RemoveUnusedImports(const SourceFile& file,
                                                  const std::vector<CodeRange>& unused,
                                                  CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_FIX_UNUSED_IMPORTS_H_

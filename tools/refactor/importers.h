// Files that import a name which moves to another file.
#ifndef STILE_TOOLS_REFACTOR_IMPORTERS_H_
#define STILE_TOOLS_REFACTOR_IMPORTERS_H_

#include <string>

#include "tools/edit/edit_plan.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Makes the import statements of TypeScript, JavaScript and Python that take `name` by itself from
// `from` take it from the new file `to`: `import { name } from`, `export { name } from`, `from
// module import name`. Paths are relative to the workspace. Imports of the whole module, of an
// alias of a folder, and statements with a comment or
// a backslash, those of Python within a block, or that share a line with others, stay: the old file
// has to hand the name on. `resolution` is that of the name: files that do not hold it are not
// read.
void FollowMovedName(const SourceFile& from, const std::string& name, const std::string& to,
                     const Resolution& resolution, CodeIndex* index, EditPlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_IMPORTERS_H_

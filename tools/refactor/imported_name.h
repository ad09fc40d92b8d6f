// Takes one name out of a statement that imports it.
#ifndef STILE_TOOLS_REFACTOR_IMPORTED_NAME_H_
#define STILE_TOOLS_REFACTOR_IMPORTED_NAME_H_

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// The import, `use` or `using` declaration that `name` stands in; null where it stands in none.
// What exports the name again counts, too.
TSNode ImportAround(TSNode name);

// The edit that takes `name` out of `statement`, and the statement with it where nothing else is
// left of it. `keeps_load`: loading the module has effects, so that `import "./m"` takes the
// place of a statement of JavaScript, and one of Python is an error. FailedPrecondition, with the
// reason, also where the name gets another one, is exported again, or the statement holds a comment
// or shares its line.
absl::StatusOr<TextEdit> RemoveImportedName(const SourceFile& file, TSNode statement, TSNode name,
                                            bool keeps_load);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_IMPORTED_NAME_H_

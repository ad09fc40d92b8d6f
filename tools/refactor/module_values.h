// Modules of ECMAScript and CommonJS that code takes as values.
#ifndef STILE_TOOLS_REFACTOR_MODULE_VALUES_H_
#define STILE_TOOLS_REFACTOR_MODULE_VALUES_H_

#include "tools/index/symbol_query.h"

namespace stile {

// Whether code that does not name `symbol` may read it, because a module that exports it is a value
// there: `export * as shapes from "./shapes.js"`, `import * as shapes` with more than
// `shapes.NAME`, `import("./shapes.js")`, `{ shapes: require("./shapes") }`. Modules that hand the
// symbol on count, as far as relative paths, or the name of the project's own package, lead to
// them. Searches the project for importers of up to 100 modules.
bool IsInModuleValue(const Resolution& symbol, CodeIndex* index);

// Whether the file loads a module by a path that only the running program knows: `import(path)`,
// `require(path)`.
bool LoadsUnknownModules(const SourceFile& file);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MODULE_VALUES_H_

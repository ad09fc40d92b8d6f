// Modules of ECMAScript and CommonJS that code takes as values.
#ifndef STILE_TOOLS_REFACTOR_MODULE_VALUES_H_
#define STILE_TOOLS_REFACTOR_MODULE_VALUES_H_

#include "tools/index/symbol_query.h"

namespace stile {

// Whether code that was not asked for `symbol` by name may read it, because a module that exports
// it is a value there: `export * as shapes from "./shapes.js"`, `import * as shapes` with more than
// `shapes.NAME`, `import("./shapes.js")`, `{ shapes: require("./shapes") }`. Modules that hand the
// symbol on count, as far as relative paths lead to them. Reads files of `index`, at most 500.
bool IsInModuleValue(const Resolution& symbol, CodeIndex* index);

// Whether the file loads a module by a path that only the running program knows: `import(path)`,
// `require(path)`.
bool LoadsUnknownModules(const SourceFile& file);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MODULE_VALUES_H_

// The operation rename of code.refactor: resolved by a language server where there is one, tried
// out, judged by the compilers, and kept whole or not at all.
#ifndef STILE_TOOLS_CODE_RENAME_OPERATION_H_
#define STILE_TOOLS_CODE_RENAME_OPERATION_H_

#include "runtime/base/json.h"
#include "runtime/tool/tool.h"
#include "tools/code/refactor_host.h"
#include "tools/index/symbol_query.h"

namespace stile {

// `arguments`: those of the tool; newName is the new name.
ToolResult RunRename(Resolution resolution, const Json& arguments, const RefactorHost& host);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_RENAME_OPERATION_H_

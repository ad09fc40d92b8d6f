#ifndef STILE_TOOLS_CODE_NAVIGATE_TOOL_H_
#define STILE_TOOLS_CODE_NAVIGATE_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"
#include "tools/index/code_index.h"

namespace stile {

// code.navigate: from a symbol to its definition, references, callers, implementations and derived
// types. `index` is not owned and outlives the tool.
std::unique_ptr<Tool> NewCodeNavigateTool(CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_NAVIGATE_TOOL_H_

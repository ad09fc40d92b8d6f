#ifndef STILE_TOOLS_CODE_INSPECT_TOOL_H_
#define STILE_TOOLS_CODE_INSPECT_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"
#include "tools/index/code_index.h"

namespace stile {

// code.inspect: the outline of a file, or what is known of a symbol. `index` is not owned and
// outlives the tool.
std::unique_ptr<Tool> NewCodeInspectTool(CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_INSPECT_TOOL_H_

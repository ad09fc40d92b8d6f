#ifndef STILE_TOOLS_CODE_SEARCH_TOOL_H_
#define STILE_TOOLS_CODE_SEARCH_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"
#include "tools/index/code_index.h"

namespace stile {

// code.search: the pieces of a workspace that are about something, best first. `index` is not owned
// and outlives the tool.
std::unique_ptr<Tool> NewCodeSearchTool(CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_SEARCH_TOOL_H_

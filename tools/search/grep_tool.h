#ifndef STILE_TOOLS_SEARCH_GREP_TOOL_H_
#define STILE_TOOLS_SEARCH_GREP_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"

namespace stile {

std::unique_ptr<Tool> NewSearchGrepTool();  // search.grep

}  // namespace stile

#endif  // STILE_TOOLS_SEARCH_GREP_TOOL_H_

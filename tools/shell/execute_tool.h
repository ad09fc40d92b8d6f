#ifndef STILE_TOOLS_SHELL_EXECUTE_TOOL_H_
#define STILE_TOOLS_SHELL_EXECUTE_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"

namespace stile {

std::unique_ptr<Tool> NewShellExecuteTool();  // shell.execute

}  // namespace stile

#endif  // STILE_TOOLS_SHELL_EXECUTE_TOOL_H_

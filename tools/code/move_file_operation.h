// The part of code.refactor that moves files.
#ifndef STILE_TOOLS_CODE_MOVE_FILE_OPERATION_H_
#define STILE_TOOLS_CODE_MOVE_FILE_OPERATION_H_

#include <string>

#include "tools/code/refactor_host.h"

namespace stile {

// move_file: `from`, relative to the workspace, to `to`, as a model wrote it: a path, or a folder,
// which exists or is written with a slash at its end. `arguments`: see CarryPlan.
ToolResult RunMoveFile(const std::string& from, const std::string& to, const Json& arguments,
                       const RefactorHost& host);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_MOVE_FILE_OPERATION_H_

// The file.* tools. Each is stateless and lies in a file of its own.
#ifndef STILE_TOOLS_FILE_FILE_TOOLS_H_
#define STILE_TOOLS_FILE_FILE_TOOLS_H_

#include <memory>

#include "runtime/language/language.h"
#include "runtime/tool/tool.h"

namespace stile {

std::unique_ptr<Tool> NewFileReadTool();
// Those that write code answer with the syntax errors they introduced. `languages` outlives the
// tool.
std::unique_ptr<Tool> NewFileWriteTool(const LanguageRegistry* languages);
std::unique_ptr<Tool> NewFileModifyTool(const LanguageRegistry* languages);
std::unique_ptr<Tool> NewFileListTool();
std::unique_ptr<Tool> NewFileExistsTool();
std::unique_ptr<Tool> NewFileDeleteTool();

}  // namespace stile

#endif  // STILE_TOOLS_FILE_FILE_TOOLS_H_

#ifndef STILE_TOOLS_CODE_GENERATE_TOOL_H_
#define STILE_TOOLS_CODE_GENERATE_TOOL_H_

#include <memory>

#include "runtime/language/language.h"
#include "runtime/tool/tool.h"
#include "runtime/validation/validation_service.h"
#include "tools/index/code_index.h"

namespace stile {

// code.generate: types, members, tests, interfaces, written into the workspace, and built there.
// What does not build stays, and the answer has the errors. The arguments are not owned; they
// outlive the tool.
std::unique_ptr<Tool> NewCodeGenerateTool(ValidationService* service,
                                          const LanguageRegistry* languages, CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_GENERATE_TOOL_H_

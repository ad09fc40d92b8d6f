#ifndef STILE_TOOLS_CODE_VALIDATE_TOOL_H_
#define STILE_TOOLS_CODE_VALIDATE_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"
#include "runtime/validation/validation_service.h"

namespace stile {

// code.validate. `service` not owned.
std::unique_ptr<Tool> NewCodeValidateTool(ValidationService* service);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_VALIDATE_TOOL_H_

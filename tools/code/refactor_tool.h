#ifndef STILE_TOOLS_CODE_REFACTOR_TOOL_H_
#define STILE_TOOLS_CODE_REFACTOR_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"
#include "runtime/validation/validation_service.h"
#include "tools/index/code_index.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// code.refactor. The arguments are not owned; `resolvers` may be null.
std::unique_ptr<Tool> NewCodeRefactorTool(ValidationService* service, CodeIndex* index,
                                          ResolverPool* resolvers);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_REFACTOR_TOOL_H_

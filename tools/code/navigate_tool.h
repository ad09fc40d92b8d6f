#ifndef STILE_TOOLS_CODE_NAVIGATE_TOOL_H_
#define STILE_TOOLS_CODE_NAVIGATE_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"
#include "tools/index/code_index.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// code.navigate: from a symbol to its definition, references, callers, implementations and derived
// types. The arguments are not owned and outlive the tool; `resolvers` may be null.
std::unique_ptr<Tool> NewCodeNavigateTool(CodeIndex* index, ResolverPool* resolvers);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_NAVIGATE_TOOL_H_

#ifndef STILE_TOOLS_BUDGET_CHECK_TOOL_H_
#define STILE_TOOLS_BUDGET_CHECK_TOOL_H_

#include <memory>

#include "runtime/tool/tool.h"

namespace stile {

std::unique_ptr<Tool> NewBudgetCheckTool();  // budget.check

}  // namespace stile

#endif  // STILE_TOOLS_BUDGET_CHECK_TOOL_H_

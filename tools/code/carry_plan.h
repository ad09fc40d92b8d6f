// Shows a plan, or applies it and keeps it if the compiler accepts it.
#ifndef STILE_TOOLS_CODE_CARRY_PLAN_H_
#define STILE_TOOLS_CODE_CARRY_PLAN_H_

#include <string>
#include <vector>

#include "runtime/base/json.h"
#include "runtime/tool/tool.h"
#include "runtime/validation/diagnostic.h"
#include "tools/code/refactor_host.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/references.h"

namespace stile {

struct CarriedPlan {
  EditPlan plan;
  std::string done;                  // "Moved class Order to order.py"
  std::string would;                 // the same for a preview
  std::vector<Reference> likely;     // places that may use what changes
  bool needs_compiler = false;       // syntax alone does not show that the plan is right
  std::vector<Diagnostic> revealed;  // see TrialContext::revealed
  std::string judged_by;  // the resolver that no longer reports the error; "": none asked
};

// Where `arguments` ask for a preview, shows the plan. Otherwise applies it, and keeps it if the
// compiler reports no new error. Where no compiler can judge it, syntax decides, unless a compiler
// is needed or some places are likely uses. On failure all files are restored.
ToolResult CarryPlan(CarriedPlan carried, const Json& arguments, const RefactorHost& host);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_CARRY_PLAN_H_

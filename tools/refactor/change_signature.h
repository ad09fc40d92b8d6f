#ifndef STILE_TOOLS_REFACTOR_CHANGE_SIGNATURE_H_
#define STILE_TOOLS_REFACTOR_CHANGE_SIGNATURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Gives a function or method the parameters of `signature` (a whole head, or a list), and every
// call its arguments: in the new order, without those that went, with the value of what came, as
// `name = value` in the list gives it. A parameter of a new name in the place of one that went is
// that one renamed. Overrides change with it. The errors speak to a model: InvalidArgument for a
// new parameter without a value, FailedPrecondition where one that goes is used, or where a call
// cannot be mapped; those that are not sure to be calls of it are listed.
absl::StatusOr<EditPlan> PlanChangeSignature(Resolution resolution, CodeIndex* index,
                                             const std::string& signature);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_CHANGE_SIGNATURE_H_

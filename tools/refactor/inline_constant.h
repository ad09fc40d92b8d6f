// code.refactor inline_constant: the value of a constant takes the place of its name everywhere.
#ifndef STILE_TOOLS_REFACTOR_INLINE_CONSTANT_H_
#define STILE_TOOLS_REFACTOR_INLINE_CONSTANT_H_

#include "absl/status/status.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/safe_delete.h"

namespace stile {

// Replaces each of `plan->uses` by the value of the constant, for which PlanSafeDelete made `plan`,
// and takes its name out of imports. The constant stands in a file, a name space or a type, and its
// value is made of literals only. A number keeps the type of the declaration: `5` of a constant of
// type usize becomes `5usize`. On success `plan->uses` is empty; `plan->likely` is left as it
// is. FailedPrecondition, with the reason, where the declaration is no constant, its type is
// not that of the value, or a use needs the name: it writes to it, exports it again, takes its
// address, or reads it from an expression that may have effects.
absl::Status InlineUses(const Resolution& constant, CodeIndex* index, DeletePlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINE_CONSTANT_H_

// code.refactor inline_function: the expression of a function takes the place of its calls.
#ifndef STILE_TOOLS_REFACTOR_INLINE_FUNCTION_H_
#define STILE_TOOLS_REFACTOR_INLINE_FUNCTION_H_

#include "absl/status/status.h"
#include "tools/extract/selection.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/safe_delete.h"

namespace stile {

// Replaces each of `plan->uses`, calls of the function for which PlanSafeDelete made `plan`, by the
// expression that the function consists of, and takes its name out of imports. On success
// `plan->uses` is empty; `plan->likely` is left as it is. Errors:
//   Unimplemented: C++ and Rust, where calls also decide how long values live, and languages
//   without
//     code operations.
//   FailedPrecondition, with the reason: the function is more than one expression; a use is no
//   call;
//     an argument would be evaluated at another time, more or fewer times, or with another type; a
//     name of the expression means something else at the call; the object of a method is not the
//     caller's own.
// `probe` tells types that the text does not show; see TypeOfExpression.
absl::Status InlineCalls(const Resolution& function, CodeIndex* index, const ProbeEdits& probe,
                         DeletePlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINE_FUNCTION_H_

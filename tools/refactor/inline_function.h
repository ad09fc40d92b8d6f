// code.refactor inline_function: the expression of a function takes the place of its calls.
#ifndef STILE_TOOLS_REFACTOR_INLINE_FUNCTION_H_
#define STILE_TOOLS_REFACTOR_INLINE_FUNCTION_H_

#include "absl/status/status.h"
#include "tools/extract/selection.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/safe_delete.h"

namespace stile {

// Replaces every use in `plan->uses` (PlanSafeDelete made `plan` for `function`) by the expression
// of the function, and removes its imports. On success `plan->uses` is empty; `plan->likely` is
// unchanged. After an error `plan` must not be used. `probe` tells types that the text does not
// show, see TypeOfExpression; it is asked at most 12 times.
//
//   Unimplemented       the language does not support the operation (C++, Rust)
//   FailedPrecondition  a call cannot be replaced without a change in behaviour: the reason
//   Cancelled           of `probe`
absl::Status InlineCalls(const Resolution& function, CodeIndex* index, const ProbeEdits& probe,
                         DeletePlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINE_FUNCTION_H_

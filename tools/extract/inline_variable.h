// code.refactor inline_variable: the value of a variable takes the place of its name.
#ifndef STILE_TOOLS_EXTRACT_INLINE_VARIABLE_H_
#define STILE_TOOLS_EXTRACT_INLINE_VARIABLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"

namespace stile {

// Removes a variable of a function and puts its value where it is used: a value of literals
// everywhere, another value only into the statement that follows, which must use it once and before
// everything else that it does. `line` counts from 1; 0: `name` has one declaration in the file.
// InvalidArgument where no such variable is declared there; FailedPrecondition, with the reason,
// where the program could do something else afterwards: the variable is assigned again, its
// declaration may convert the value, an effect would come later, a name would mean another thing.
// Unimplemented for C++ and Rust, where a variable also decides how long its value lives.
// `probe` tells the type of a value that its text does not show; see TypeOfExpression.
absl::StatusOr<EditPlan> PlanInlineVariable(const SourceFile& file, int line,
                                            const std::string& name, const ProbeEdits& probe);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_INLINE_VARIABLE_H_

// code.refactor extract_parameter: a literal becomes a parameter of its function.
#ifndef STILE_TOOLS_REFACTOR_EXTRACT_PARAMETER_H_
#define STILE_TOOLS_REFACTOR_EXTRACT_PARAMETER_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"

namespace stile {

// Adds a last parameter to the function around an expression of literals, and puts its name in the
// place of the expression. The expression becomes the default of the parameter in languages that
// have defaults, and an argument of each call elsewhere; see PlanChangeSignature. `expression`: its
// text; "": the only one on the lines, counted from 1. Errors as in ChooseConstant and
// PlanChangeSignature; FailedPrecondition where no function with a name and a parameter list is
// around it, or the text does not show the type that the parameter needs.
absl::StatusOr<EditPlan> PlanExtractParameter(const std::string& path, CodeIndex* index,
                                              int start_line, int end_line,
                                              const std::string& expression,
                                              const std::string& new_name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_EXTRACT_PARAMETER_H_

#ifndef STILE_TOOLS_EXTRACT_EXTRACT_VARIABLE_H_
#define STILE_TOOLS_EXTRACT_EXTRACT_VARIABLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"

namespace stile {

// Gives an expression a name: a local before its statement, and the name in its place. The
// expression is `expression` where that is given, else what is the whole right side, result,
// condition or argument on the lines. `start_column` (1-based, in bytes; 0: none) tells equal ones
// apart. The errors speak to a model: InvalidArgument with the candidates where it is not clear
// which is meant, FailedPrecondition where it cannot be evaluated earlier without a difference,
// Unimplemented for other languages. `probe` is asked for a type where C needs one.
absl::StatusOr<EditPlan> PlanExtractVariable(const SourceFile& file, int start_line, int end_line,
                                             int start_column, const std::string& expression,
                                             const std::string& new_name, const ProbeEdits& probe);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_EXTRACT_VARIABLE_H_

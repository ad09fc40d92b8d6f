// code.refactor extract_constant: a literal gets a name.
#ifndef STILE_TOOLS_EXTRACT_EXTRACT_CONSTANT_H_
#define STILE_TOOLS_EXTRACT_EXTRACT_CONSTANT_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"
#include "tools/index/code_index.h"

namespace stile {

// Gives an expression of literals a name: a constant of the type around it in Java and C#, of the
// file or namespace elsewhere. `expression`: its text; "": the only one on the lines. Other places
// with the same text stay. Errors as in ChooseConstant; InvalidArgument where the name is taken in
// the file; FailedPrecondition where the text does not show the type that the declaration needs, or
// modules of JavaScript import each other and could read the constant before it has its value;
// Unimplemented for other languages.
absl::StatusOr<EditPlan> PlanExtractConstant(const SourceFile& file, CodeIndex* index,
                                             int start_line, int end_line,
                                             const std::string& expression,
                                             const std::string& new_name);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_EXTRACT_CONSTANT_H_

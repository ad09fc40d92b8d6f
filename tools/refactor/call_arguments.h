// The arguments of a call after its function got other parameters.
#ifndef STILE_TOOLS_REFACTOR_CALL_ARGUMENTS_H_
#define STILE_TOOLS_REFACTOR_CALL_ARGUMENTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/parameter_mapping.h"

namespace stile {

// The text of the argument list `list`, with its brackets, for the new parameters; its own text
// where it means the same as before. FailedPrecondition, naming the call's place, where an argument
// would be lost or evaluated in another order, or where it is not known to which parameter it goes.
absl::StatusOr<std::string> ArgumentsAfter(const SourceFile& file, TSNode list,
                                           const ParameterMapping& mapping);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_CALL_ARGUMENTS_H_

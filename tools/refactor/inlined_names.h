// Whether the names of an expression mean the same in another function.
#ifndef STILE_TOOLS_REFACTOR_INLINED_NAMES_H_
#define STILE_TOOLS_REFACTOR_INLINED_NAMES_H_

#include "absl/status/status.h"
#include "tools/index/code_index.h"
#include "tools/refactor/inlined_call.h"

namespace stile {

// FailedPrecondition, with the place and the name, where a name that the function takes from
// outside means something else at the call, or may: a local or an import has it there, the file
// does not import it in the same way, or it may be a member of the function's class.
absl::Status CheckFreeNames(const InlinedFunction& function, const InlinedCall& call,
                            CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINED_NAMES_H_

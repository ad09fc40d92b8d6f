// Replacements that a compiler itself declares safe, as plans.
#ifndef STILE_TOOLS_FIX_COMPILER_FIX_H_
#define STILE_TOOLS_FIX_COMPILER_FIX_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/validation/diagnostic.h"
#include "runtime/workspace/file_system.h"
#include "tools/edit/edit_plan.h"

namespace stile {

// All fixes of one diagnostic. FailedPrecondition when they do not fit the files as they are.
absl::StatusOr<EditPlan> PlanFix(const Diagnostic& error, FileSystem* fs,
                                 const std::string& workspace);

}  // namespace stile

#endif  // STILE_TOOLS_FIX_COMPILER_FIX_H_

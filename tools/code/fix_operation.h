// The part of code.refactor that mends single errors and imports.
#ifndef STILE_TOOLS_CODE_FIX_OPERATION_H_
#define STILE_TOOLS_CODE_FIX_OPERATION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/code/refactor_host.h"
#include "tools/edit/edit_plan.h"

namespace stile {

// A change to carry out, with its name for the answer.
struct PlannedFix {
  EditPlan plan;
  std::string title;
  std::string by;
  std::string judged_by;             // a resolver; "": a compiler
  std::vector<Diagnostic> revealed;  // see TrialContext::revealed
  std::vector<std::string> kept;     // see ImportRemoval
};

// apply_fix: finds an error of the file and a change that mends it. FailedPrecondition with a text
// for the model where there is none, or where there are several; other errors end the run.
absl::StatusOr<PlannedFix> PlanErrorFix(const std::string& path, int line, const std::string& title,
                                        const RefactorHost& host);

// organize_imports: an empty plan where the imports are in order. Errors as above.
absl::StatusOr<PlannedFix> PlanOrganizeImports(const std::string& path, const RefactorHost& host);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_FIX_OPERATION_H_

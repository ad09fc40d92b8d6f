// Examples in documentation, which the build leaves out, and the compiler's part in renaming them.
#ifndef STILE_TOOLS_REFACTOR_EXAMPLE_TRIAL_H_
#define STILE_TOOLS_REFACTOR_EXAMPLE_TRIAL_H_

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/edit/trial.h"
#include "tools/refactor/rename_plan.h"

namespace stile {

struct ExampleOutcome {
  bool has_any = false;  // that may name the symbol; else nothing was asked
  bool judged = false;   // by a compiler
  std::string unjudged;  // why not; "": the language compiles none
  // Errors that were not there before the rename, and that no place of the old or the new name
  // explains.
  std::vector<Diagnostic> errors;
  size_t known_errors = 0;  // that were there before as well
};

// Compiles the examples that may name the symbol, and moves places in them in or out of the plan by
// what the compiler says, until no errors remain or none of them names another place. The project
// builds under the plan. The workspace then holds the plan, or what it was before. Blocks as long
// as a build.
absl::StatusOr<ExampleOutcome> TryExamples(const std::set<DocExample>& examples,
                                           const TrialContext& trial, RenamePlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_EXAMPLE_TRIAL_H_

// The compiler's part in a refactoring.
#ifndef STILE_TOOLS_EDIT_TRIAL_H_
#define STILE_TOOLS_EDIT_TRIAL_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/language/language.h"
#include "runtime/validation/validation_service.h"
#include "runtime/workspace/tentative_edits.h"
#include "tools/edit/edit_plan.h"

namespace stile {

// Nothing is owned.
struct TrialContext {
  ValidationService* service = nullptr;
  TentativeEdits* edits = nullptr;
  const LanguageRegistry* languages = nullptr;
  std::string workspace;
  std::function<absl::Status(const std::vector<std::string>&)> may_change;  // see ToolContext
  // New errors that speak against no plan: a compiler that stopped before them now sees them.
  std::vector<Diagnostic> revealed;
};

// Makes the workspace hold the plan. Aborted when a file is not what was planned on,
// PermissionDenied when one of them must not be changed.
absl::Status TryPlan(const EditPlan& plan, const TrialContext& trial);

// Whether the compiler, which had errors to report before the plan, looks at the files of the plan
// and at `possible_users` (path and text), which may use what changes: one that stops at those
// errors says nothing of any others. An error is planted at the end of each; what is tried out
// afterwards is the plan again. "" where all were reported, else why the answer counts for nothing.
absl::StatusOr<std::string> VerifyErrorsAreReported(
    const EditPlan& plan, const ProbeReport& report,
    const std::map<std::string, std::string>& possible_users, const TrialContext& trial);

// Languages whose checkers let code without types pass: their silence proves nothing.
bool IsGradual(const Language& language);

// Files of code that the plan changes and no judge has read; empty where one does not tell.
std::vector<std::string> UnreadFiles(const EditPlan& plan, const ProbeReport& report,
                                     const LanguageRegistry& languages);

// Of a plan that is tried, and of which `whole` says that it is not judged as a whole: its files in
// languages that no compiler judges here. Empty if that holds for none or for all of them, or if a
// judge is stuck; then `whole` becomes the report of that judge. Blocks as long as a build for each
// language.
absl::StatusOr<std::set<std::string>> FilesOfUnjudgedLanguages(const EditPlan& plan,
                                                               const TrialContext& trial,
                                                               ProbeReport* whole);

// New errors of judges that each read one language of the plan: where one of several languages has
// none (JavaScript with declarations of TypeScript beside it), the others' still say what would
// break. None for a plan of one language.
absl::StatusOr<std::vector<Diagnostic>> ErrorsByLanguage(const EditPlan& plan,
                                                         const TrialContext& trial);

struct PlanOutcome {
  // Whether the edits are in place (not kept yet: that is for the caller to do).
  bool applied = false;
  bool judged = false;
  std::string unjudged;                 // why not
  bool is_stuck = false;                // there is a judge, and it gave no answer: not applied
  std::vector<std::string> unanswered;  // see ProbeReport
  // Changed files of code that the compiler did not read, as far as it tells.
  std::vector<std::string> unread;
  std::vector<Diagnostic> errors;  // not applied: those that were not there before
  std::vector<Diagnostic> warnings;
  int rounds = 0;  // times that the compiler was asked about the plan
};

// Tries the plan and asks the compiler about it. It stays where no new error comes of it, and where
// nothing judges such files. Imports that it leaves without use, where that is an error, go with it
// and are added to the plan. `possible_users`: see VerifyErrorsAreReported. A status is that of the
// machinery.
absl::StatusOr<PlanOutcome> ApplyPlan(EditPlan* plan,
                                      const std::map<std::string, std::string>& possible_users,
                                      const TrialContext& trial);

}  // namespace stile

#endif  // STILE_TOOLS_EDIT_TRIAL_H_

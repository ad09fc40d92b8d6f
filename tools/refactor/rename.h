// Rename with the compiler as trial. A syntax tree cannot type a receiver: what is certain is
// renamed, the compiler is asked, and what it complains about moves in or out, until it is content.
#ifndef STILE_TOOLS_REFACTOR_RENAME_H_
#define STILE_TOOLS_REFACTOR_RENAME_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/edit/trial.h"
#include "tools/refactor/example_trial.h"
#include "tools/refactor/rename_plan.h"
#include "tools/refactor/value_uses.h"

namespace stile {

struct RenameOutcome {
  // Whether the edits are in place (not kept yet: that is for the caller to do).
  bool applied = false;
  EditPlan plan;
  // Places that may mean the symbol and that nobody could decide: they were left as they are.
  std::vector<RenameCandidate> uncertain;
  int rounds = 0;                       // times that the compiler was asked
  bool judged = false;                  // by a compiler, which is content with the result
  std::string unjudged;                 // why not
  std::vector<std::string> unanswered;  // see ProbeReport
  // Changed files of code that the compiler did not read, as far as it tells.
  std::vector<std::string> unread;
  ExampleOutcome examples;
  std::vector<TextMention> mentions;  // in comments, strings and macros
  std::vector<ValueUse> other_uses;   // see ValueUses::Unblamed
  // Not applied: what the compiler would not accept.
  std::vector<Diagnostic> errors;
  // It does not accept the declaration itself: something outside of the project gives it its name.
  bool is_external = false;
  // A rule of the project for the style of names is all that speaks against the new one.
  bool breaks_style = false;
};

// Applies `plan` as far as it is certain, or until the compiler has decided the rest. A status is
// that of the machinery, or Aborted where files changed meanwhile; `trial.edits` then has edits to
// be taken back.
absl::StatusOr<RenameOutcome> ApplyRename(RenamePlan plan, const std::set<DocExample>& examples,
                                          const TrialContext& trial);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RENAME_H_

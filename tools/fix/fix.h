// Changes that mend an error: from the compiler, from the resolver of the language, and from the
// declarations of the project. None is taken at its word; each is tried before it counts.
#ifndef STILE_TOOLS_FIX_FIX_H_
#define STILE_TOOLS_FIX_FIX_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/diagnostic.h"
#include "tools/codegen/generate.h"
#include "tools/edit/edit_plan.h"
#include "tools/extract/selection.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

enum class FixKind {
  kImport,    // brings a name from elsewhere
  kSpelling,  // writes another name in place of one that is not there
  kOther,
};

struct Fix {
  std::string title;  // "Add import from \"./shape.js\""
  std::string by;     // "the compiler", "gopls 0.5.0", "declarations of the project"
  FixKind kind = FixKind::kOther;
  EditPlan plan;
  std::string meaning;  // of an import: what it brings; one header may be written in several ways
  int distance = 0;     // of another name: from the one that is there, see EditDistance
  std::vector<Diagnostic> revealed;  // see TrialContext::revealed
};

// Nothing is owned.
struct FixContext {
  GenerateContext code;
  ResolverPool* resolvers = nullptr;  // may be null
  FileSystem* files = nullptr;
};

struct OfferedFixes {
  std::vector<Fix> fixes;                 // in the order in which they are tried
  std::vector<std::string> other_titles;  // see OfferedChanges
  std::string no_resolver;                // why no resolver answered; "": one did, or none is known
};

// The changes that may mend `error`, which lies in a file of the workspace. `title`: "", or that of
// the one change that is wanted. Sources that fail offer nothing. Cancelled; other errors are of
// the file of the error.
absl::StatusOr<OfferedFixes> OfferFixes(const Diagnostic& error, const std::string& title,
                                        const FixContext& context);

struct FixChoice {
  std::vector<Fix> fixes;  // one: it mends the error; several: each does, with another meaning
  int tried = 0;
  std::vector<std::string> untried;  // titles of the same kind, where there were too many
};

// Tries fixes until one takes the error away and brings no other, and after an import or another
// name those of its kind with another meaning: all imports, and the names that are as near. If no
// fix is clean, takes those that remove the error and cause new errors only outside of the lines
// that they change: many compilers stop at one kind of error. An import that leaves an unknown name
// on the line of the error is not taken.
// `before`: the errors of the files as they are. Errors are those of `probe`; a fix that cannot be
// tried is passed over.
absl::StatusOr<FixChoice> ChooseFix(const Diagnostic& error, const std::vector<Diagnostic>& before,
                                    const std::vector<Fix>& fixes, const ProbeEdits& probe);

}  // namespace stile

#endif  // STILE_TOOLS_FIX_FIX_H_

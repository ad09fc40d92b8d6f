// Uses of a symbol by the warnings of a compiler that knows what names mean.
#ifndef STILE_TOOLS_REFACTOR_MARKED_USES_H_
#define STILE_TOOLS_REFACTOR_MARKED_USES_H_

#include <functional>

#include "absl/status/statusor.h"
#include "runtime/validation/validation_service.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"
#include "tools/refactor/rename_plan.h"
#include "tools/refactor/resolved_symbol.h"

namespace stile {

// ValidationService::ProbeDeprecated under edits that are not kept.
using DeprecatedProbe = std::function<absl::StatusOr<ProbeReport>(const EditPlan&)>;

// For languages without a resolver: marks the symbol as deprecated
// (NamingFacts::deprecation_mark), so that the compiler warns of each use, in macros, through
// `Deref` and through wildcard imports as well. Where it does not warn (in the declaration itself,
// in macros' definitions, under `#[cfg(…)]`, in files that it does not read), what the syntax tree
// says for certain stands. Errors:
//
//   Unimplemented  the language has no such mark, or the symbol cannot have it
//   Unavailable    no answer, or the project has errors: the message says which
//   others         of the probe
absl::StatusOr<ResolvedSymbol> ResolveByMarks(const RenamePlan& plan, const DeprecatedProbe& probe,
                                              CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MARKED_USES_H_

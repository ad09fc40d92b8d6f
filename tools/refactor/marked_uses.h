// Uses of a symbol by the warnings of a compiler that knows what names mean.
#ifndef STILE_TOOLS_REFACTOR_MARKED_USES_H_
#define STILE_TOOLS_REFACTOR_MARKED_USES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validation_service.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"
#include "tools/refactor/rename_plan.h"
#include "tools/refactor/resolved_symbol.h"

namespace stile {

// ValidationService::ProbeDeprecated under edits that are not kept.
using DeprecatedProbe = std::function<absl::StatusOr<ProbeReport>(const EditPlan&)>;

struct MarkedUses {
  ResolvedSymbol symbol;
  std::vector<Declaration> marked;
  // Warnings of the symbol, by path and line.
  std::map<std::pair<std::string, int>, size_t> counts;
  bool with_all_features = false;  // code behind features was compiled as well
};

// For languages without a resolver: marks the symbol as deprecated
// (NamingFacts::deprecation_mark), so that the compiler warns of each use, in macros, through
// `Deref` and through wildcard imports as well. It does not warn in the declaration itself, in
// definitions of macros, under `#[cfg(…)]`, and in files that it does not read. Code behind
// features is none of these if the project builds with all of them on. At such places, exact
// references of the syntax tree are renamed. Errors:
//
//   Unimplemented  the language has no such mark, or the symbol cannot have it
//   Unavailable    no answer, or the project has errors: the message says which
//   others         of the probe
absl::StatusOr<MarkedUses> ResolveByMarks(const RenamePlan& plan, const DeprecatedProbe& probe,
                                          CodeIndex* index);

// Marks the symbol under its new name, with the edits of the rename in place: "size at
// src/a.rs:3 means something else now" if a line uses it more or less often than before; "" if none
// does. Errors: as above.
absl::StatusOr<std::string> CheckByMarks(const MarkedUses& before, const EditPlan& renamed,
                                         const std::string& new_name, const DeprecatedProbe& probe);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MARKED_USES_H_

// Parameters that calls give by name, without a compiler that knows the function.
#ifndef STILE_TOOLS_REFACTOR_PARAMETER_FAMILY_H_
#define STILE_TOOLS_REFACTOR_PARAMETER_FAMILY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"
#include "tools/refactor/resolved_bases.h"
#include "tools/resolve/resolver.h"

namespace stile {

// The parameters called like `parameter` of methods that override its method, or are overridden by
// it, at any distance: a call may reach each of them by that name. None for parameters that no call
// names (`self`, `*rest`) and in languages whose compiler chooses the parameter. Blocks while the
// resolver answers; errors of it.
absl::StatusOr<std::vector<Declaration>> ParametersOfOverrides(const Declaration& parameter,
                                                               CodeIndex* index,
                                                               ResolvedBases* bases,
                                                               Resolver* resolver);

// Arguments of that name, and keys of dictionaries in quotes, which `**` may bring to the function
// of `parameter`. All are likely only. None in such languages, and for locals.
std::vector<RenameCandidate> PassedByName(const Declaration& parameter, const std::string& new_name,
                                          CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PARAMETER_FAMILY_H_

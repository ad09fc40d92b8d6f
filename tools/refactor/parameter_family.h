// Parameters that calls give by name, without a compiler that knows the function.
#ifndef STILE_TOOLS_REFACTOR_PARAMETER_FAMILY_H_
#define STILE_TOOLS_REFACTOR_PARAMETER_FAMILY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"
#include "tools/refactor/resolved_bases.h"
#include "tools/resolve/resolver.h"

namespace stile {

// The parameters called like `parameter` of overloads of its function, and of methods that override
// its method, or are overridden by it, at any distance: a call may reach each by that name. None
// for parameters that no call names (`self`, `*rest`) and in languages whose compiler chooses the
// parameter. Blocks while the resolver answers; errors of it.
absl::StatusOr<std::vector<Declaration>> ParametersOfOverrides(const Declaration& parameter,
                                                               CodeIndex* index,
                                                               ResolvedBases* bases,
                                                               Resolver* resolver);

// Arguments of that name, and keys of dictionaries, which may reach the function of `parameter`
// through a variable, `partial(scale, factor=2)`, or functions that hand `**options` on. All are
// likely only. None in such languages, and for locals. Searches the project for each of up to 20
// functions.
std::vector<RenameCandidate> PassedByName(const Declaration& parameter, const std::string& new_name,
                                          CodeIndex* index);

// Takes edits of keyword arguments out of `edits` if the parameter gets none of them: of
// `def scale(value, /, **options)` and `**value`, a server takes `scale(value=1)` for `value`.
// Reads the files of the edits; errors of CodeIndex::Open.
absl::Status DropForeignKeywords(const Declaration& parameter, CodeIndex* index,
                                 std::map<CodeRange, std::string>* edits);

// Where a call of the function, by its name, passes both the parameter's name and `new_name`: one
// of them goes to `**options`, and a call cannot pass a name twice. "" if none does. Searches the
// project, as PassedByName does.
std::string PassedTogether(const Declaration& parameter, const std::string& new_name,
                           CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PARAMETER_FAMILY_H_
